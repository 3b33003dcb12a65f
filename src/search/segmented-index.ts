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
import { runSteps, runStepsWithPauses } from './steps.ts';

/** Options of an index. All have defaults. */
export interface SegmentedIndexOptions extends SegmentOptions {
  /** The least number of changes that makes a merge due. Default: 1,000. */
  mergeAtLeast?: number;
  /** Merges base and delta into a new base. Default: in this thread, in steps between other work. */
  merge?: (input: MergeInput) => Promise<SegmentColumns>;
}

/**
 * The catalog index: a large immutable segment (the base) and a small one with all later changes (the delta),
 * which is rebuilt for each change. A track of the base that was changed or removed gets a tombstone. When
 * the delta exceeds a share of the base, both are merged into a new base, while the old ones continue to
 * answer queries.
 */
export class SegmentedIndex implements CatalogIndex {
  readonly #options: SegmentedIndexOptions;
  #current: PairSearch;
  #seq: number;
  /** The tracks of the delta, by id. */
  readonly #changed = new Map<string, IndexEntry>();
  readonly #popularity = new Map<string, ReadonlyMap<string, number>>();
  /** The last operation that replaces segments. The next one begins after it. */
  #lastOperation: Promise<void> = Promise.resolve();
  #merge: Promise<void> | undefined;
  #mergeFailure: unknown;
  /**
   * The last state of each track that was changed since the merge began, by id. The new base does not have
   * these changes.
   */
  readonly #sinceMerge = new Map<string, IndexEntry | undefined>();
  /** Hidden tracks, with the `seq` of the change that removes them. */
  readonly #hidden = new Map<string, number>();

  constructor(base: Segment, options: SegmentedIndexOptions = {}) {
    const nothing = new Segment(runSteps(buildSegment([], 0)));
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
   * Implements the port. Calls are processed one after another. The new delta is built in steps beside the
   * one that answers queries, so that no query waits for it or sees a part of it. If a merge failed in the
   * background, the next call rejects once, before it changes anything.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[], seq: number): Promise<void> {
    return this.#runAlone(() => this.#takeIn(upserts, removedIds, seq));
  }

  /** Implements the port. Does not wait for other operations. */
  hide(ids: readonly string[], seq: number): void {
    if (seq <= this.#seq) return;
    for (const id of ids) {
      this.#hidden.set(id, seq);
      addTombstoneInBoth(this.#current, id);
    }
  }

  setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    return this.#runAlone(async () => {
      const { base, delta, places, licensed } = this.#current;
      const inBase = await runStepsWithPauses(licensedTracks(base.segment, counts));
      const inDelta = await runStepsWithPauses(licensedTracks(delta.segment, counts));
      this.#popularity.set(name, counts);
      const all = new Map(licensed).set(name, [inBase, inDelta]);
      this.#current = new PairSearch(base, delta, places, all);
    });
  }

  /** Resolves when no merge is in progress. */
  async settled(): Promise<void> {
    while (this.#merge !== undefined) {
      await this.#merge;
    }
  }

  /** Runs operations that replace segments one after another. */
  #runAlone(work: () => Promise<void>): Promise<void> {
    const done = this.#lastOperation.then(work);
    this.#lastOperation = done.catch(() => {});
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

    // The rest of this function is synchronous, so no query sees only a part of its effects.
    if (this.#merge !== undefined) {
      for (const id of removedIds) {
        this.#sinceMerge.set(id, undefined);
      }
      for (const entry of upserts) {
        this.#sinceMerge.set(entry.id, entry);
      }
    }
    this.#recordChanges(upserts, removedIds);
    this.#current = next;
    this.#seq = seq;
    for (const [id, hiddenSeq] of this.#hidden) {
      if (hiddenSeq <= seq) this.#hidden.delete(id);
    }
    this.#hideInDelta();
    this.#mergeWhenDue();
  }

  /** Combines a base with a delta of the changes since then, in steps. */
  async #over(base: SegmentSearch, changed: Iterable<IndexEntry>): Promise<PairSearch> {
    const { search, places } = await runStepsWithPauses(
      deltaOver(base.segment, changed, this.#options),
    );
    const licensed = new Map<string, readonly [LicensedTracks, LicensedTracks]>();
    for (const [name, counts] of this.#popularity) {
      const known = base === this.#current.base ? this.#current.licensed.get(name)?.[0] : undefined;
      const inBase = known ?? (await runStepsWithPauses(licensedTracks(base.segment, counts)));
      const inDelta = await runStepsWithPauses(licensedTracks(search.segment, counts));
      licensed.set(name, [inBase, inDelta]);
    }
    return new PairSearch(base, search, places, licensed);
  }

  /** Records changes: adds tombstones to the base, and collects the tracks of the delta. */
  #recordChanges(upserts: readonly IndexEntry[], removedIds: readonly string[]): void {
    for (const id of removedIds) {
      this.#changed.delete(id);
      addTombstone(this.#current.base, id);
    }
    for (const entry of upserts) {
      this.#changed.set(entry.id, entry);
      addTombstone(this.#current.base, entry.id);
    }
  }

  /** A delta that was built in the meantime may contain hidden tracks. */
  #hideInDelta(): void {
    const { delta } = this.#current;
    const [fewer, others] =
      this.#hidden.size < this.#changed.size
        ? [this.#hidden, this.#changed]
        : [this.#changed, this.#hidden];
    for (const id of fewer.keys()) if (others.has(id)) addTombstone(delta, id);
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
    await this.#runAlone(async () => {
      const upserts = [...this.#sinceMerge.values()].filter((entry) => entry !== undefined);
      const next = await this.#over(new SegmentSearch(new Segment(columns)), upserts);
      await runStepsWithPauses(addTombstones(next.base, this.#sinceMerge.keys()));

      // As above, the rest of this function is synchronous.
      this.#changed.clear();
      for (const entry of upserts) this.#changed.set(entry.id, entry);
      this.#current = next;
      for (const id of this.#hidden.keys()) addTombstoneInBoth(next, id);
    });
  }

  #mergeHere(input: MergeInput): Promise<SegmentColumns> {
    return runStepsWithPauses(mergeSegments(input, this.#options));
  }
}

/**
 * A merge is due when one in this many tracks of the base was changed or removed. The delta is rebuilt for
 * each change, so it must stay small; a merge costs as much as the base is large.
 */
const MERGE_SHARE = 64;

/** A merge is also due after this many changes: a delta of this size takes some hundred milliseconds to rebuild. */
const MERGE_MOST = 20_000;

/** Adds a tombstone to a track, if the segment has the track live. */
function addTombstone({ segment, live }: SegmentSearch, id: string): void {
  const ordinal = segment.ordinalOf(id);
  if (ordinal !== undefined && live.has(ordinal)) {
    live.remove(ordinal);
  }
}

/** Adds a tombstone to a track in base and delta. */
function addTombstoneInBoth({ base, delta }: PairSearch, id: string): void {
  addTombstone(base, id);
  addTombstone(delta, id);
}

const TOMBSTONES_A_STEP = 1_024;

/** Adds tombstones to a base that does not answer queries yet, in steps of a few milliseconds. */
function* addTombstones(base: SegmentSearch, ids: Iterable<string>): Generator<void> {
  let added = 0;
  for (const id of ids) {
    addTombstone(base, id);
    if (++added % TOMBSTONES_A_STEP === 0) yield;
  }
}
