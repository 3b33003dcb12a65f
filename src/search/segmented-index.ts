import type { CatalogIndex, IndexEntry, IndexPage, IndexQuery } from '../catalog/catalog-index.ts';
import { type Bits, countBits, hasBit, isEmpty } from './bits.ts';
import { type Delta, deltaOver } from './delta.ts';
import { appendPage } from './merged-page.ts';
import { buildSegment, type Segment } from './segment.ts';
import { SegmentSearch } from './segment-search.ts';
import { completed, completedInTurns } from './steps.ts';
import { readText } from './text-query.ts';

/**
 * The catalog index: a large frozen segment (the base), and a small one with everything that
 * changed since (the delta), which is rebuilt with each change. Tracks that the delta replaces, or
 * that are gone, are struck from the base. When the delta has grown past a share of the base, the
 * two are merged into a new base, a step at a time, while the old ones go on answering.
 */
export class SegmentedIndex implements CatalogIndex {
  #base: SegmentSearch;
  #delta: SegmentSearch;
  /** For each track of the delta, how many ordinals of the base come before it. */
  #places: Uint32Array = new Uint32Array();
  /** The delta's tracks by id. */
  readonly #changed = new Map<string, IndexEntry>();
  readonly #counts = new Map<string, number>();
  /** The last piece of work that replaces segments; the next begins after it. */
  #turn: Promise<void> = Promise.resolve();
  #merge: Promise<void> | undefined;
  #mergeFailure: unknown;
  /** What was applied since the merge began, for the new base has not seen it; last word by id. */
  readonly #sinceMerge = new Map<string, IndexEntry | undefined>();

  readonly #mergeAtLeast: number;

  /** Takes over a segment as its base; a merge falls due at no fewer than `mergeAtLeast` changes. */
  constructor(base: Segment, { mergeAtLeast = 1_000 } = {}) {
    this.#base = new SegmentSearch(base);
    this.#mergeAtLeast = mergeAtLeast;
    this.#delta = new SegmentSearch(completed(buildSegment([])));
    for (const [filterId, { count }] of base.filters) {
      this.#counts.set(filterId, count);
    }
  }

  get size(): number {
    return this.#base.liveCount + this.#delta.liveCount;
  }

  search(query: IndexQuery, offset: number, limit: number): IndexPage {
    const base = this.#base.segment;
    const delta = this.#delta.segment;
    const ids: string[] = [];
    let total = 0;
    let skip = offset;
    for (const [inBase, inDelta] of this.#ranks(query)) {
      const count = countBits(inBase) + countBits(inDelta);
      total += count;
      if (skip < count && ids.length < limit) {
        appendPage(
          ids,
          { bits: inBase, entries: base.entries },
          { bits: inDelta, entries: delta.entries, places: this.#places },
          skip,
          limit,
        );
      }
      skip = Math.max(0, skip - count);
    }
    return { total, ids };
  }

  retain(ids: readonly string[], query: IndexQuery): string[] {
    const [inBase, inDelta] = this.#find(query).found;
    return ids.filter((id) => {
      const ordinal = this.#delta.segment.ordinals.get(id);
      if (ordinal !== undefined) {
        return hasBit(inDelta, ordinal);
      }
      const baseOrdinal = this.#base.segment.ordinals.get(id);
      return baseOrdinal !== undefined && hasBit(inBase, baseOrdinal);
    });
  }

  filterCounts(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  /**
   * As the port says, one call after the other. The new delta is built in steps beside the one that
   * answers, so that no query waits for it or sees a half of it. A merge that failed in the
   * background rejects here, once, before anything.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#takeIn(upserts, removedIds));
  }

  /** Resolves once no merge is under way. */
  async settled(): Promise<void> {
    while (this.#merge !== undefined) {
      await this.#merge;
    }
  }

  /** What matches, by rank, in the base and in the delta. */
  #ranks(query: IndexQuery): [Bits, Bits][] {
    const { text, forgiving, found } = this.#find(query);
    const [inBase, inDelta] = found;
    if (text === undefined || forgiving) {
      return [[inBase, inDelta]];
    }
    const deltaRanks = this.#delta.rank(text, inDelta);
    return this.#base.rank(text, inBase).map((bits, i) => [bits, deltaRanks[i]!]);
  }

  #find(query: IndexQuery) {
    const { text, forgiving, found } = this.#findText(query.text);
    this.#base.restrict(found[0], query);
    this.#delta.restrict(found[1], query);
    return { text, forgiving, found };
  }

  #findText(rawText: string | undefined) {
    const base = this.#base;
    const delta = this.#delta;
    base.begin();
    delta.begin();
    const text = readText(rawText);
    if (text === undefined) {
      return { text, forgiving: false, found: [base.all(), delta.all()] as const };
    }
    const found = [base.find(text), delta.find(text)] as const;
    // Filters left aside: whether typos are forgiven depends on the text and the catalog alone.
    if (text.kind === 'literal' || !found.every(isEmpty)) {
      return { text, forgiving: false, found };
    }
    const forgiven = [base.findForgiving(text), delta.findForgiving(text)] as const;
    return { text, forgiving: true, found: forgiven };
  }

  /** Lets no two pieces of work that replace segments overlap. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #takeIn(upserts: readonly IndexEntry[], removedIds: readonly string[]): Promise<void> {
    if (this.#mergeFailure !== undefined) {
      const cause = this.#mergeFailure;
      this.#mergeFailure = undefined;
      throw new Error('Merging the search index failed; the old one keeps serving', { cause });
    }
    const changed = new Map(this.#changed);
    for (const id of removedIds) {
      changed.delete(id);
    }
    const shrunk = changed.size < this.#changed.size;
    for (const entry of upserts) {
      changed.set(entry.id, entry);
    }
    const delta =
      shrunk || upserts.length > 0
        ? await completedInTurns(deltaOver(this.#base.segment.entries, changed.values()))
        : undefined;

    // From here to the end nothing else runs, so no query sees the one without the other.
    if (this.#merge !== undefined) {
      for (const id of removedIds) {
        this.#sinceMerge.set(id, undefined);
      }
      for (const entry of upserts) {
        this.#sinceMerge.set(entry.id, entry);
      }
    }
    this.#note(upserts, removedIds);
    if (delta !== undefined) {
      this.#use(delta);
    }
    this.#mergeWhenDue();
  }

  /** Notes changes: what the base shows no longer, what the delta holds, and how filters count. */
  #note(upserts: readonly IndexEntry[], removedIds: readonly string[]): void {
    for (const id of removedIds) {
      this.#forget(id);
    }
    for (const entry of upserts) {
      this.#forget(entry.id);
      this.#changed.set(entry.id, entry);
      this.#count(entry, 1);
    }
  }

  #use({ search, places }: Delta): void {
    this.#delta = search;
    this.#places = places;
  }

  #forget(id: string): void {
    const changed = this.#changed.get(id);
    if (changed !== undefined) {
      this.#changed.delete(id);
      this.#count(changed, -1);
      return;
    }
    const ordinal = this.#base.segment.ordinals.get(id);
    if (ordinal !== undefined && this.#base.isLive(ordinal)) {
      this.#base.remove(ordinal);
      this.#count(this.#base.segment.entries[ordinal]!, -1);
    }
  }

  #count(entry: IndexEntry, by: number): void {
    for (const filterId of new Set(entry.filterIds)) {
      this.#counts.set(filterId, (this.#counts.get(filterId) ?? 0) + by);
    }
  }

  #mergeWhenDue(): void {
    const { entries } = this.#base.segment;
    const due = this.#changed.size + entries.length - this.#base.liveCount;
    if (
      this.#merge === undefined &&
      due >= this.#mergeAtLeast &&
      due > entries.length / MERGE_SHARE
    ) {
      this.#merge = this.#mergeInSteps()
        .catch((error: unknown) => {
          this.#mergeFailure = error;
        })
        .finally(() => {
          this.#merge = undefined;
          this.#sinceMerge.clear();
        });
    }
  }

  async #mergeInSteps(): Promise<void> {
    const segment = await completedInTurns(buildSegment(this.#liveEntries()));
    await this.#inTurn(async () => {
      const upserts = [...this.#sinceMerge.values()].filter((entry) => entry !== undefined);
      const delta = await completedInTurns(deltaOver(segment.entries, upserts));

      // As above: base, delta and counts change together.
      this.#base = new SegmentSearch(segment);
      this.#changed.clear();
      this.#counts.clear();
      for (const [filterId, { count }] of segment.filters) {
        this.#counts.set(filterId, count);
      }
      this.#note(upserts, [...this.#sinceMerge.keys()]);
      this.#use(delta);
    });
  }

  /** All live tracks in catalog order. */
  #liveEntries(): IndexEntry[] {
    const base = this.#base.segment.entries;
    const entries: IndexEntry[] = [];
    let from = 0;
    const passBase = (to: number) => {
      for (; from < to; from++) {
        if (this.#base.isLive(from)) {
          entries.push(base[from]!);
        }
      }
    };
    for (const [i, entry] of this.#delta.segment.entries.entries()) {
      passBase(this.#places[i]!);
      entries.push(entry);
    }
    passBase(base.length);
    return entries;
  }
}

/**
 * A merge falls due when one in so many of the base's tracks has changed or gone: the delta is built
 * again with each change, so it must stay small, and a merge costs as much as the base is large.
 */
const MERGE_SHARE = 64;
