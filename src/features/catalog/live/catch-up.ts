import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeKind, ChangeLog } from '../../../engines/change-log/change-log.ts';
import type {
  CatalogIndex,
  IndexEntry,
  RestoredTrack,
} from '../../../engines/search/catalog-index.ts';
import type { CatalogStore } from '../store/catalog-store.ts';
import type { LiveFilters } from './live-filters.ts';

/** The entities whose changes are in the index. Their ids are those of tracks. */
const INDEXED_ENTITIES = ['track', 'sound'] as const;
/** The entities whose changes the catalog shows; of playlists, only the languages of their texts. */
export const CATALOG_ENTITIES = [...INDEXED_ENTITIES, 'filter', 'playlist'] as const;
const SHOWN_ENTITIES: ReadonlySet<string> = new Set(CATALOG_ENTITIES);

export function isShown({ entity }: Change): boolean {
  return SHOWN_ENTITIES.has(entity);
}

export function isOfTrack({ entity }: Change): boolean {
  return entity === 'track';
}

export function isIndexed({ entity }: Change): boolean {
  return (INDEXED_ENTITIES as readonly string[]).includes(entity);
}

/** The number of changes, or of tracks, of one step. */
const BATCH = 1_000;

/** A position in the log, and the last change of each track up to there. */
export interface CaughtUp {
  seq: number;
  changed: ReadonlyMap<string, number>;
}

/** Reads which tracks have changed after `from`. */
export async function changedSince(from: number, log: Pick<ChangeLog, 'since'>): Promise<CaughtUp> {
  const changed = new Map<string, number>();
  let seq = from;
  let read: Change[];
  do {
    read = await log.since(seq, ['track'], BATCH);
    for (const { entityId, seq: at } of read) changed.set(entityId, at);
    seq = read.at(-1)?.seq ?? seq;
    await nextTurn();
  } while (read.length === BATCH);
  return { seq, changed };
}

/** Adds the row ids of the tracks that an index has. */
export async function locateAll(
  index: Pick<CatalogIndex, 'locate'>,
  ids: Iterable<string>,
  into: { add(rowId: number): unknown },
): Promise<void> {
  const all = [...ids];
  for (let i = 0; i < all.length; i += BATCH) {
    for (const track of index.locate(all.slice(i, i + BATCH), {})) {
      if (track !== undefined) into.add(track);
    }
    await nextTurn();
  }
}

/** The least number of changes from which an index is built again. */
const REBUILD_FROM = 50_000;

/**
 * Whether an index of this many tracks is so far behind that it is built again from the store: if it would
 * otherwise double or, at a start, if it lacks a tenth. Applying and merging the changes would then take longer than a
 * build by all processors.
 */
export function isTooFarBehind(changes: number, tracks: number, isStart = false): boolean {
  return changes >= Math.max(REBUILD_FROM, isStart ? tracks / 10 : tracks);
}

/** The greatest number of changes that are applied in the serving thread, in some milliseconds. */
export const APPLY_HERE = 256;

/** Reads the changed tracks that are live, and the filters if these may have changed. */
export async function readChanged(
  changes: readonly Change[],
  store: Pick<CatalogStore, 'indexEntries' | 'filters'>,
  known: Pick<LiveFilters, 'mayChange'>,
) {
  const ids = [...new Set(changes.map(({ entityId }) => entityId))];
  const entries = await store.indexEntries(ids);
  const live = new Set(entries.map(({ id }) => id));
  const mayChange = known.mayChange(changes, entries, live);
  return { entries, filters: mayChange ? await store.filters() : undefined };
}

/** The kinds of change after which a track is not live. */
const GONE: ReadonlySet<string> = new Set<ChangeKind<'track'>>([
  'taken_down',
  'withdrawn',
  'removed',
]);

/** The greatest number of tracks that are shown early, because they are indexed together in the serving thread. */
const MAX_SHOWN = 64;

/**
 * The changes that are visible before the catalog applies them in order: every removal of a track, and every
 * restoration by a command. They do not wait for the imports that precede them in the change log.
 */
export class EarlyChanges {
  /** The `seq` of the last change that removed a track, by its id. */
  readonly #hidden = new Map<string, number>();
  /** The tracks that were restored since, by id. */
  readonly #shown = new Map<string, RestoredTrack>();

  /** Hides the tracks that changes after `position` remove. Returns whether there are such tracks. */
  hide(changes: readonly Change[], position: number, index: CatalogIndex): boolean {
    const gone = changes.filter(({ kind, seq }) => GONE.has(kind) && seq > position);
    for (const { entityId, seq } of gone) {
      this.#hidden.set(entityId, seq);
      this.#shown.delete(entityId);
      index.hide([entityId], seq);
    }
    return gone.length > 0;
  }

  /**
   * The restorations by commands after `position`, without those of tracks that a later one of the changes removes.
   * If too many tracks would be shown early, the rest is left to the order of the log.
   */
  restored(changes: readonly Change[], position: number): Change[] {
    const last = new Map<string, Change>();
    for (const change of changes) {
      const { kind, batchId, entityId, seq } = change;
      if (GONE.has(kind)) last.delete(entityId);
      else if (kind === 'restored' && batchId === null && seq > position)
        last.set(entityId, change);
    }
    return [...last.values()].slice(0, Math.max(0, MAX_SHOWN - this.#shown.size));
  }

  /** Shows the tracks whose restorations are after `position`. */
  show(
    entries: readonly IndexEntry[],
    restored: readonly Change[],
    position: number,
    index: CatalogIndex,
  ): void {
    const seqs = new Map(restored.map(({ entityId, seq }) => [entityId, seq]));
    const tracks = entries
      .map((entry) => ({ entry, seq: seqs.get(entry.id)! }))
      .filter(({ seq }) => seq > position);
    for (const track of tracks) {
      this.#hidden.delete(track.entry.id);
      this.#shown.set(track.entry.id, track);
    }
    index.show(tracks);
  }

  /** Makes the early changes visible in another index, which contains all changes up to `position`. */
  applyTo(index: CatalogIndex, position: number): void {
    this.forgetUpTo(position);
    for (const [id, seq] of this.#hidden) index.hide([id], seq);
    if (this.#shown.size > 0) index.show([...this.#shown.values()]);
  }

  /** Forgets the changes up to `position`, which the index contains. */
  forgetUpTo(position: number): void {
    for (const [id, seq] of this.#hidden) if (seq <= position) this.#hidden.delete(id);
    for (const [id, { seq }] of this.#shown) if (seq <= position) this.#shown.delete(id);
  }
}

/** Counts by the name of the popularity. */
export type GivenCounts = Map<string, ReadonlyMap<string, number>>;

/** The last counts of each popularity, for indexes that are made later. */
export class Popularities {
  readonly #counts: GivenCounts = new Map();

  set(name: string, counts: ReadonlyMap<string, number>): void {
    this.#counts.set(name, counts);
  }

  /** Whether an index that was given these counts has all of them. */
  areIn(given: GivenCounts): boolean {
    return this.#missing(given) === undefined;
  }

  /** Gives an index the counts that it does not have yet, and adds them to `given`. */
  async giveTo(index: Pick<CatalogIndex, 'setPopularity'>, given: GivenCounts): Promise<void> {
    // Checked again after each call, because other counts may have been set meanwhile.
    for (let next = this.#missing(given); next !== undefined; next = this.#missing(given)) {
      await index.setPopularity(...next);
      given.set(...next);
    }
  }

  #missing(given: GivenCounts): [name: string, ReadonlyMap<string, number>] | undefined {
    return [...this.#counts].find(([name, counts]) => given.get(name) !== counts);
  }
}
