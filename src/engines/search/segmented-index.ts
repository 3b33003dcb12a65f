import { limited } from '../../common/work/limited.ts';
import type { ChangedSegment } from './build/build-index.ts';
import { countRebuilt, dueFrom, type MergeInput, mergeSegments } from './build/merge.ts';
import { buildSegment, type SegmentOptions } from './build/segment-builder.ts';
import { runStepsWithPauses } from './build/steps.ts';
import type {
  CatalogIndex,
  FieldValue,
  IndexEntry,
  IndexPage,
  IndexQuery,
  PageRequest,
  RankedPage,
  Ranking,
  RankRequest,
  RestoredTrack,
  WillChange,
} from './catalog-index.ts';
import { SegmentSearch } from './query/segment-search.ts';
import { SegmentsSearch } from './query/segments-search.ts';
import type { SegmentColumns } from './segments/columns.ts';
import { type LicensedTracks, licensedTracks } from './segments/popularity.ts';
import { Segment } from './segments/segment.ts';
import {
  addTombstones,
  EarlyTracks,
  idColumn,
  ordinalsOf,
  rowIdsOf,
  withAdded,
  withTombstones,
} from './sets/tombstones.ts';
import { SimilarSearch } from './similar/similar-search.ts';

interface Merge {
  /** The number of the first segment of the input. */
  from: number;
  input: MergeInput;
  /** The ids of tracks that were changed or hidden since it began, as columns. */
  changed: Uint32Array[];
}

/**
 * The catalog index: immutable segments, the oldest first, each with later changes than those before it. The
 * first one is the base. A track of a segment that was changed or removed since gets a tombstone. When newer
 * segments have grown in comparison with an older one, they are merged with it into one, while the old ones
 * continue to answer queries (`build/merge.ts`).
 */
export class SegmentedIndex implements CatalogIndex {
  readonly #options: SegmentedIndexOptions;
  readonly #similar: SimilarSearch;
  #parts: readonly SegmentSearch[];
  #current: SegmentsSearch;
  #seq: number;
  readonly #popularity = new Map<string, ReadonlyMap<string, number>>();
  /** Runs operations that replace segments one after another. */
  readonly #runAlone = limited(1);
  #merge: Merge | undefined;
  #merging: Promise<void> | undefined;
  #mergeFailure: unknown;
  readonly #early = new EarlyTracks();

  constructor(base: Segment, options: SegmentedIndexOptions = {}) {
    this.#options = { language: base.columns.meta.language, ...options };
    this.#similar = new SimilarSearch(options.scoreEachUpTo);
    this.#parts = [new SegmentSearch(base)];
    this.#current = new SegmentsSearch(this.#parts);
    this.#seq = base.columns.meta.seq;
  }

  get size(): number {
    return this.#current.size;
  }

  search(query: IndexQuery, page: PageRequest): IndexPage {
    return this.#current.search(query, page);
  }

  rank(query: IndexQuery, ranking: Ranking, page: RankRequest): RankedPage {
    return this.#current.rank(query, ranking, page);
  }

  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[] {
    return this.#current.locate(ids, query);
  }

  suggest(text: string, limit: number, aliases?: boolean): string[] {
    return this.#current.suggest(text, limit, aliases);
  }

  similar: CatalogIndex['similar'] = (query, compared) =>
    this.#similar.find(() => this.#current.parts, query, compared);

  soundingLike: CatalogIndex['soundingLike'] = (query, compared) =>
    this.#similar.soundingLike(this.#current.parts, query, compared);

  filterCounts(): ReadonlyMap<string, number> {
    return this.#current.filterCounts();
  }

  valuesInText: CatalogIndex['valuesInText'] = (field, text) =>
    this.#current.valuesInText(field, text);

  commonTags(limit: number): FieldValue[] {
    return this.#current.commonTags(limit);
  }

  /**
   * Calls are processed one after another. The new segment is built in steps beside those that answer queries,
   * so that no query waits for it or sees a part of it. If a merge failed in the background, the next call
   * rejects once, before it changes anything.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[], seq: number): Promise<void> {
    return this.#runAlone(async () => {
      this.#throwMergeFailure();
      const changed = idColumn([...upserts.map(({ id }) => id), ...removedIds]);
      if (upserts.length === 0) return this.#put(undefined, this.#parts.length, changed, seq);
      const from = this.#rebuiltFrom(upserts.length);
      const entries = withAdded(this.#parts.slice(from), upserts, removedIds);
      const steps = buildSegment(entries, seq, this.#options);
      await this.#put(await runStepsWithPauses(steps), from, changed, seq);
    });
  }

  catchUp(willChange: WillChange): Promise<number> {
    return this.#runAlone(async () => {
      this.#throwMergeFailure();
      const { changes } = this.#options;
      if (changes === undefined) throw new Error('This index has no access to the change log');
      const { columns, removed } = await changes(this.#seq);
      const { ids } = columns.tracks;
      const changed = new Uint32Array(ids.length + removed.length);
      changed.set(ids);
      changed.set(removed, ids.length);
      const segment = ids.length === 0 ? undefined : columns;
      const { seq } = columns.meta;
      const tell = (rowIds: Uint32Array) => willChange(rowIds, seq);
      await this.#put(segment, this.#parts.length, changed, seq, tell);
      return seq;
    });
  }

  /** Does not wait for other operations. */
  hide(ids: readonly string[], seq: number): void {
    if (seq <= this.#seq) return;
    for (const id of ids) this.#early.hide(id, seq, this.#current.parts);
  }

  /** Does not wait for other operations. */
  show(tracks: readonly RestoredTrack[]): void {
    for (const track of tracks) {
      if (track.seq > this.#seq) this.#early.show(track, this.#current.parts);
    }
    this.#use(this.#parts);
  }

  setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    return this.#runAlone(async () => {
      const found: LicensedTracks[] = [];
      for (const { segment } of this.#parts) {
        found.push(await runStepsWithPauses(licensedTracks(segment, counts)));
      }
      this.#popularity.set(name, counts);
      for (const [i, { licensed }] of this.#parts.entries()) licensed.set(name, found[i]!);
      this.#use(this.#parts);
    });
  }

  /** Resolves when no merge is in progress. */
  async settled(): Promise<void> {
    while (this.#merging !== undefined) await this.#merging;
  }

  /** Answers queries from these segments, and from one of the tracks that are shown early. */
  #use(parts: readonly SegmentSearch[]): void {
    this.#parts = parts;
    const early = this.#early.segments(this.#seq, this.#popularity, this.#options);
    this.#current = new SegmentsSearch([...parts, ...early]);
  }

  #throwMergeFailure(): void {
    if (this.#mergeFailure === undefined) return;
    const cause = this.#mergeFailure;
    this.#mergeFailure = undefined;
    throw new Error('Merging the search index failed; the old one keeps serving', { cause });
  }

  /** The first of the segments that are built again with added tracks: not the base, and none that is merged. */
  #rebuiltFrom(added: number): number {
    const merged = this.#merge ? this.#merge.from + this.#merge.input.parts.length : 0;
    const rebuildable = this.#parts.slice(Math.max(1, merged)).map(sizeOf);
    return this.#parts.length - countRebuilt(rebuildable, added, this.#options.rebuildUpTo);
  }

  /**
   * Replaces the segments from `from` on by a new one, if given, and adds tombstones for the changed ids to the
   * others.
   */
  async #put(
    columns: SegmentColumns | undefined,
    from: number,
    changed: Uint32Array,
    seq: number,
    willChange: (rowIds: Uint32Array) => Promise<void> = async () => {},
  ): Promise<void> {
    const rowIds = columns === undefined ? [] : [columns.tracks.rowIds];
    const parts: SegmentSearch[] = [];
    const finish: (() => void)[] = [];
    for (const part of this.#parts.slice(0, from)) {
      const ordinals = await runStepsWithPauses(ordinalsOf(part.segment, changed));
      rowIds.push(await runStepsWithPauses(rowIdsOf(part.segment, ordinals)));
      const next = await runStepsWithPauses(withTombstones(part, ordinals));
      parts.push(next.part);
      finish.push(next.finish);
    }
    if (columns !== undefined) parts.push(await this.#partOf(columns));
    for (const some of rowIds) await willChange(some);

    // The rest is synchronous, so no query sees only a part of its effects.
    for (const add of finish) add();
    this.#merge?.changed.push(changed);
    this.#seq = seq;
    this.#early.forgetUpTo(seq);
    for (const part of parts) {
      // The other tracks that are hidden may be in a part that was made in the meantime.
      if (!this.#parts.includes(part)) this.#early.hideIn(part);
    }
    this.#use(parts);
    this.#mergeWhenDue();
  }

  async #partOf(columns: SegmentColumns): Promise<SegmentSearch> {
    const part = new SegmentSearch(new Segment(columns));
    await this.#similar.expect(part.segment);
    for (const [name, counts] of this.#popularity) {
      part.licensed.set(name, await runStepsWithPauses(licensedTracks(part.segment, counts)));
    }
    return part;
  }

  #mergeWhenDue(): void {
    this.#merging ??= this.#mergeAll()
      .catch((error: unknown) => {
        this.#mergeFailure = error;
      })
      .finally(() => {
        this.#merge = undefined;
        this.#merging = undefined;
      });
  }

  async #mergeAll(): Promise<void> {
    const mergeHere = (input: MergeInput) =>
      runStepsWithPauses(mergeSegments(input, this.#options));
    const merge = this.#options.merge ?? mergeHere;
    this.#merge = this.#dueMerge();
    while (this.#merge !== undefined) {
      await this.#takeMerged(await merge(this.#merge.input), this.#merge);
    }
  }

  #dueMerge(): Merge | undefined {
    const { mergeAtLeast = 1_000, keepsBaseFrom = Number.POSITIVE_INFINITY } = this.#options;
    const baseAtLeast = this.size < keepsBaseFrom ? mergeAtLeast : Number.POSITIVE_INFINITY;
    const from = dueFrom(this.#parts.map(sizeOf), baseAtLeast);
    if (from === undefined) return undefined;
    const parts = this.#parts
      .slice(from)
      .map(({ segment, live }) => ({ columns: segment.columns, live: live.bits.slice() }));
    return { from, input: { parts, isWhole: from === 0, seq: this.#seq }, changed: [] };
  }

  /** Replaces the merged segments, and begins the next merge in the same operation. */
  #takeMerged(columns: SegmentColumns, { from, input, changed }: Merge): Promise<void> {
    return this.#runAlone(async () => {
      const part = await this.#partOf(columns);
      for (const ids of changed) {
        const ordinals = await runStepsWithPauses(ordinalsOf(part.segment, ids));
        await runStepsWithPauses(addTombstones(part, ordinals));
      }

      // The rest is synchronous, so no query sees only a part of its effects.
      this.#early.hideIn(part);
      const parts = this.#parts.slice();
      const isEmpty = from > 0 && part.live.count === 0;
      parts.splice(from, input.parts.length, ...(isEmpty ? [] : [part]));
      this.#use(parts);
      this.#merge = this.#dueMerge();
    });
  }
}

function sizeOf({ segment, live }: SegmentSearch) {
  return { size: segment.size, live: live.count };
}

export interface SegmentedIndexOptions extends SegmentOptions {
  /** The least number of changes that makes a merge of the base due. Default: 1,000. */
  mergeAtLeast?: number;
  /** The number of tracks from which this index does not merge its base, because another one does. */
  keepsBaseFrom?: number;
  /** The greatest number of tracks that a change builds again. Default: see `countRebuilt`. */
  rebuildUpTo?: number;
  /** See `SimilarSearch`. */
  scoreEachUpTo?: number;
  /** Merges segments. Default: in this thread, in steps between other work. */
  merge?: (input: MergeInput) => Promise<SegmentColumns>;
  /** Makes a segment of all changes in the log after a `seq`. Without it, `catchUp` rejects. */
  changes?: (after: number) => Promise<ChangedSegment>;
}
