import type {
  CatalogIndex,
  IndexEntry,
  IndexPage,
  IndexQuery,
  PageRequest,
} from '../catalog/catalog-index.ts';
import type { SegmentColumns } from './columns.ts';
import { deltaOver } from './delta.ts';
import { type MergeInput, mergeSegments } from './merge.ts';
import { PairSearch } from './pair-search.ts';
import { type LicensedTracks, licensedTracks } from './popularity.ts';
import { Segment } from './segment.ts';
import { buildSegment, type SegmentOptions } from './segment-builder.ts';
import { SegmentSearch } from './segment-search.ts';
import { completed, completedInTurns } from './steps.ts';

/** How an index keeps itself small; all of it has defaults. */
export interface SegmentedIndexOptions extends SegmentOptions {
  /** A merge falls due at no fewer changes; 1,000. */
  mergeAtLeast?: number;
  /** Makes a new base of the old one and the delta, elsewhere or in this thread's idle moments (the default). */
  merge?: (input: MergeInput) => Promise<SegmentColumns>;
}

/**
 * The catalog index: a large frozen segment (the base), and a small one with everything that
 * changed since (the delta), which is rebuilt with each change. Tracks that the delta replaces, or
 * that are gone, are struck from the base. When the delta has grown past a share of the base, the
 * two are merged into a new base, while the old ones go on answering.
 */
export class SegmentedIndex implements CatalogIndex {
  readonly #options: SegmentedIndexOptions;
  #current: PairSearch;
  #seq: number;
  /** The delta's tracks by id. */
  readonly #changed = new Map<string, IndexEntry>();
  readonly #popularity = new Map<string, ReadonlyMap<string, number>>();
  /** The last piece of work that replaces segments; the next begins after it. */
  #turn: Promise<void> = Promise.resolve();
  #merge: Promise<void> | undefined;
  #mergeFailure: unknown;
  /** What was applied since the merge began, for the new base has not seen it; last word by id. */
  readonly #sinceMerge = new Map<string, IndexEntry | undefined>();

  constructor(base: Segment, options: SegmentedIndexOptions = {}) {
    const nothing = new Segment(completed(buildSegment([], 0)));
    this.#options = options;
    this.#current = new PairSearch(
      new SegmentSearch(base),
      new SegmentSearch(nothing),
      new Uint32Array(),
      new Map(),
    );
    this.#seq = base.columns.meta.seq;
  }

  get size(): number {
    return this.#current.size;
  }

  search(query: IndexQuery, page: PageRequest): IndexPage {
    return this.#current.search(query, page);
  }

  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[] {
    return this.#current.locate(ids, query);
  }

  suggest(text: string, limit: number): string[] {
    return this.#current.suggest(text, limit);
  }

  filterCounts(): ReadonlyMap<string, number> {
    return this.#current.filterCounts();
  }

  /**
   * As the port says, one call after the other. The new delta is built in steps beside the one that
   * answers, so that no query waits for it or sees a half of it. A merge that failed in the
   * background rejects here, once, before anything.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[], seq: number): Promise<void> {
    return this.#inTurn(() => this.#takeIn(upserts, removedIds, seq));
  }

  setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    return this.#inTurn(async () => {
      const { base, delta, places, licensed } = this.#current;
      const inBase = await completedInTurns(licensedTracks(base.segment, counts));
      const inDelta = await completedInTurns(licensedTracks(delta.segment, counts));
      this.#popularity.set(name, counts);
      const all = new Map(licensed).set(name, [inBase, inDelta]);
      this.#current = new PairSearch(base, delta, places, all);
    });
  }

  /** Resolves once no merge is under way. */
  async settled(): Promise<void> {
    while (this.#merge !== undefined) {
      await this.#merge;
    }
  }

  /** Lets no two pieces of work that replace segments overlap. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #takeIn(
    upserts: readonly IndexEntry[],
    removedIds: readonly string[],
    seq: number,
  ): Promise<void> {
    if (this.#mergeFailure !== undefined) {
      const cause = this.#mergeFailure;
      this.#mergeFailure = undefined;
      throw new Error('Merging the search index failed; the old one keeps serving', { cause });
    }
    const changed = new Map(this.#changed);
    for (const id of removedIds) {
      changed.delete(id);
    }
    const isOther = changed.size < this.#changed.size || upserts.length > 0;
    for (const entry of upserts) {
      changed.set(entry.id, entry);
    }
    const next = isOther ? await this.#over(this.#current.base, changed.values()) : this.#current;

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
    this.#current = next;
    this.#seq = seq;
    this.#mergeWhenDue();
  }

  /** A base with a delta of what changed since, in steps. */
  async #over(base: SegmentSearch, changed: Iterable<IndexEntry>): Promise<PairSearch> {
    const { search, places } = await completedInTurns(
      deltaOver(base.segment, changed, this.#options),
    );
    const licensed = new Map<string, readonly [LicensedTracks, LicensedTracks]>();
    for (const [name, counts] of this.#popularity) {
      const known = base === this.#current.base ? this.#current.licensed.get(name)?.[0] : undefined;
      const inBase = known ?? (await completedInTurns(licensedTracks(base.segment, counts)));
      const inDelta = await completedInTurns(licensedTracks(search.segment, counts));
      licensed.set(name, [inBase, inDelta]);
    }
    return new PairSearch(base, search, places, licensed);
  }

  /** Notes changes: what the base shows no longer, and what the delta holds. */
  #note(upserts: readonly IndexEntry[], removedIds: readonly string[]): void {
    for (const id of removedIds) {
      this.#changed.delete(id);
      strike(this.#current.base, id);
    }
    for (const entry of upserts) {
      this.#changed.set(entry.id, entry);
      strike(this.#current.base, entry.id);
    }
  }

  #mergeWhenDue(): void {
    const { segment, live } = this.#current.base;
    const due = this.#changed.size + segment.size - live.count;
    if (
      this.#merge === undefined &&
      due >= (this.#options.mergeAtLeast ?? 1_000) &&
      due > Math.min(segment.size / MERGE_SHARE, MERGE_MOST)
    ) {
      this.#merge = this.#mergeAside()
        .catch((error: unknown) => {
          this.#mergeFailure = error;
        })
        .finally(() => {
          this.#merge = undefined;
          this.#sinceMerge.clear();
        });
    }
  }

  async #mergeAside(): Promise<void> {
    const merge = this.#options.merge ?? ((input) => this.#mergeHere(input));
    const { base, delta } = this.#current;
    const columns = await merge({
      base: base.segment.columns,
      live: base.live.bits.slice(),
      delta: delta.segment.columns,
      seq: this.#seq,
    });
    await this.#inTurn(async () => {
      const upserts = [...this.#sinceMerge.values()].filter((entry) => entry !== undefined);
      const next = await this.#over(new SegmentSearch(new Segment(columns)), upserts);
      await completedInTurns(strikeAll(next.base, this.#sinceMerge.keys()));

      // As above: everything changes together.
      this.#changed.clear();
      for (const entry of upserts) this.#changed.set(entry.id, entry);
      this.#current = next;
    });
  }

  #mergeHere(input: MergeInput): Promise<SegmentColumns> {
    return completedInTurns(mergeSegments(input, this.#options));
  }
}

/**
 * A merge falls due when one in so many of the base's tracks has changed or gone: the delta is built
 * again with each change, so it must stay small, and a merge costs as much as the base is large.
 */
const MERGE_SHARE = 64;

/** And when so many have, however large the base: some hundred milliseconds of work for each change taken in. */
const MERGE_MOST = 20_000;

/** Strikes a track from the base, where it is in it still. */
function strike({ segment, live }: SegmentSearch, id: string): void {
  const ordinal = segment.ordinalOf(id);
  if (ordinal !== undefined && live.has(ordinal)) {
    live.remove(ordinal);
  }
}

const STRUCK_A_STEP = 1_024;

/** Strikes tracks from a base that answers nothing yet, in steps of some milliseconds. */
function* strikeAll(base: SegmentSearch, ids: Iterable<string>): Generator<void> {
  let struck = 0;
  for (const id of ids) {
    strike(base, id);
    if (++struck % STRUCK_A_STEP === 0) yield;
  }
}
