import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../../../common/caller.ts';
import { isUuid } from '../../../common/ids.ts';
import type { WriteTransaction } from '../../../engines/sql/database.ts';
import type { NewChange } from '../../../engines/sql/logged-change.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  BY_AVAILABILITY,
  followPeriods,
  selectPeriods,
} from '../../availability/store/track-period.ts';
import { unknownBatch } from '../../catalog/batches.ts';
import type { ChangedState, StateChange } from '../../catalog/catalog-stores.ts';
import {
  type FoundTrack,
  type SourceCounts,
  STATE_SLICE,
  type TrackQuery,
  type Twin,
} from '../found-track.ts';
import { countSources } from './source-counts.ts';
import { matchingTracks, selectFound, withArtists } from './track-scan.ts';
import { readRecordings, tracksLike } from './twin-scan.ts';

/** The row ids that one step reads. */
const SLICE = 5_000;
/** The slugs on each side that `slugsNear` returns. */
const NEAR = 20;

/**
 * Finds and changes tracks of any state for the operator. Tracks are known by row id, because a source may have a
 * million of them.
 */
export class TrackFinder extends SqlStore {
  /**
   * Yields the tracks that match, in the order of row ids, in slices. Reads all tracks, or all of the source: some
   * seconds for a million of them. It is not a snapshot.
   */
  matching(query: TrackQuery): AsyncIterable<readonly FoundTrack[]> {
    return matchingTracks(this.database, query);
  }

  /** The row ids of the tracks with each slug, id or ISRC (ids and ISRCs in either case, ISRCs also with hyphens). */
  async named(names: readonly string[]): Promise<number[][]> {
    const keys = names.map((name) => name.toLowerCase());
    const ids = await this.#rowIdsBy('id', keys.filter(isUuid));
    const slugs = await this.#rowIdsBy('slug', names);
    const isrcs = await this.withIsrcs(names);
    return names.map((name, place) => {
      // An ISRC in lower case may be the slug of a track, too: the slug counts.
      return ids.get(keys[place]!) ?? slugs.get(name) ?? isrcs[place]!;
    });
  }

  /** The row ids of the tracks with each ISRC, in either case, with or without hyphens. */
  async withIsrcs(isrcs: readonly string[]): Promise<number[][]> {
    const keys = isrcs.map((isrc) => isrc.toUpperCase().replaceAll('-', ''));
    const found = await this.#rowIdsBy(
      'isrc',
      keys.filter((key) => key !== ''),
    );
    return keys.map((key) => found.get(key) ?? []);
  }

  /** Yields the row ids of all tracks of a source, in slices. */
  async *ofSource(source: string): AsyncIterable<readonly number[]> {
    let last = 0;
    for (;;) {
      const rows = await this.database.queries
        .selectFrom('tracks')
        .select('rowId')
        .where('source', '=', source)
        .where('rowId', '>', last)
        .orderBy('rowId')
        .limit(SLICE)
        .execute();
      if (rows.length > 0) yield rows.map(({ rowId }) => rowId);
      if (rows.length < SLICE) return;
      last = rows.at(-1)!.rowId;
    }
  }

  /**
   * Yields the row ids of the tracks that an import created, updated or made live again, in slices. Throws `not_found`
   * for an unknown import.
   */
  async *ofBatch(batchId: string): AsyncIterable<readonly number[]> {
    const batch = await this.database.queries
      .selectFrom('importBatches')
      .select(['firstSeq', 'lastSeq'])
      .where('id', '=', batchId)
      .executeTakeFirst();
    if (batch === undefined) throw unknownBatch(batchId);
    let last = batch.firstSeq - 1;
    for (;;) {
      const rows = await this.database.queries
        .selectFrom('changeLog')
        .innerJoin('tracks', 'tracks.id', 'changeLog.entityId')
        .select(['seq', 'rowId'])
        .where('entity', '=', 'track')
        .where('seq', '>', last)
        .where('seq', '<=', batch.lastSeq)
        .where('changeLog.batchId', '=', batchId)
        .where('kind', 'in', ['created', 'updated', 'restored'])
        .orderBy('seq')
        .limit(SLICE)
        .execute();
      if (rows.length > 0) yield rows.map(({ rowId }) => rowId);
      if (rows.length < SLICE) return;
      last = rows.at(-1)!.seq;
    }
  }

  /** The row ids of the first tracks whose slugs begin with a text. Slugs are made of names. */
  async beginningWith(text: string, limit: number): Promise<number[]> {
    if (text === '') return [];
    const rows = await this.database.queries
      .selectFrom('tracks')
      .select('rowId')
      // A slug has no greater character than z.
      .where('slug', '>=', text)
      .where('slug', '<', `${text}~`)
      .orderBy('slug')
      .limit(limit)
      .execute();
    return rows.map(({ rowId }) => rowId);
  }

  /** Tracks in the order of row ids, without those that were removed. At most a thousand at once. */
  async withRowIds(rowIds: readonly number[]): Promise<FoundTrack[]> {
    const { queries, dialect } = this.database;
    const rows = await selectFound(queries)
      .where(({ ref }) => dialect.isOneOf(ref('rowId'), rowIds))
      .orderBy('rowId')
      .execute();
    return withArtists(queries, dialect, rows);
  }

  /** All sources of tracks, in order. */
  async sources(): Promise<string[]> {
    const sources: string[] = [];
    for (;;) {
      // One look-up in the index for each source: a DISTINCT reads the entries of all tracks.
      let select = this.database.queries.selectFrom('tracks').select('source');
      const last = sources.at(-1);
      if (last !== undefined) select = select.where('source', '>', last);
      const next = await select.orderBy('source').limit(1).executeTakeFirst();
      if (next === undefined) return sources;
      sources.push(next.source);
    }
  }

  /** Slugs that precede and follow this text in their order. */
  async slugsNear(text: string): Promise<string[]> {
    const select = () => this.database.queries.selectFrom('tracks').select('slug').limit(NEAR);
    const before = await select().where('slug', '<', text).orderBy('slug', 'desc').execute();
    const after = await select().where('slug', '>=', text).orderBy('slug').execute();
    return [...before, ...after].map(({ slug }) => slug);
  }

  /**
   * Finds the other tracks that seem to be the same recordings as some tracks, because a letter names a recording: those
   * with the same ISRC first, then those with the same name, an artist of the same name, and a length that differs by two
   * seconds at most. Reads all tracks: a second for a million of them.
   */
  async twinsOf(
    rowIds: readonly number[],
    limit: number,
  ): Promise<{ twins: Twin[]; hasMoreTwins: boolean }> {
    const chosen = new Set(rowIds);
    const recordings = await readRecordings(this.database, rowIds);
    // An ISRC may be that of all tracks.
    const most = limit + 1 + chosen.size;
    const withIsrc = await this.#rowIdsBy('isrc', [...recordings.isrcs], most);
    const sameIsrc = new Set([...withIsrc.values()].flat().filter((rowId) => !chosen.has(rowId)));
    const found = [...sameIsrc].slice(0, limit + 1);
    for await (const rowId of tracksLike(this.database, recordings)) {
      if (found.length > limit) break;
      if (!chosen.has(rowId) && !sameIsrc.has(rowId)) found.push(rowId);
    }
    const tracks = await this.withRowIds(found.slice(0, limit));
    const twins = tracks.map((track) => ({ ...track, hasSameIsrc: sameIsrc.has(track.rowId) }));
    twins.sort((a, b) => Number(b.hasSameIsrc) - Number(a.hasSameIsrc));
    return { twins, hasMoreTwins: found.length > limit };
  }

  /** Counts the tracks of each source. Reads all tracks: some seconds for a million of them. */
  sourceCounts(): Promise<SourceCounts[]> {
    return countSources(this.database);
  }

  /**
   * Takes tracks down or restores them, from any state, in one transaction, with a change in the log for each one that
   * gets another state. Returns these. Outside of its periods of availability, a restored track is unavailable. At most
   * STATE_SLICE at once.
   */
  setStates(rowIds: readonly number[], change: StateChange, by: Actor): Promise<ChangedState[]> {
    if (rowIds.length > STATE_SLICE) throw new Error(`${rowIds.length} tracks are too many`);
    return this.database.write((transaction) => this.#change(transaction, rowIds, change, by));
  }

  /** Ends the downloads of tracks that were taken down for those with a license, too, until they are restored. */
  async withhold(rowIds: readonly number[]): Promise<void> {
    if (rowIds.length > STATE_SLICE) throw new Error(`${rowIds.length} tracks are too many`);
    const { isOneOf } = this.database.dialect;
    await this.database.write(({ queries }) =>
      queries
        .insertInto('withheldTracks')
        .columns(['trackRowId'])
        .expression(({ selectFrom }) =>
          selectFrom('tracks')
            .select('rowId as trackRowId')
            .where(({ ref }) => isOneOf(ref('rowId'), rowIds))
            .where('state', '=', 'taken_down'),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  }

  async #change(
    { queries, log }: WriteTransaction,
    rowIds: readonly number[],
    { state, reason, reference }: StateChange,
    by: Actor,
  ): Promise<ChangedState[]> {
    const { dialect } = this.database;
    const rows = await selectPeriods(queries)
      .where(({ ref }) => dialect.isOneOf(ref('rowId'), rowIds))
      .orderBy('rowId')
      .execute();
    const followed = await followPeriods({ queries, dialect }, rows, this.clock.now(), {
      stateOf: () => state,
    });
    if (state === 'live') {
      await queries
        .deleteFrom('withheldTracks')
        .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), rowIds))
        .execute();
    }
    const changed = followed
      .filter(({ before, after }) => before.state !== after.state)
      .map(({ rowId, id, after }) => ({ rowId, id, state: after.state }));
    if (changed.length === 0) return [];
    const kind = state === 'live' ? 'restored' : 'taken_down';
    const changes = changed.map(({ id, state: now }): NewChange<'track'> => {
      // To partners, a restored track outside of its periods is still taken down.
      return now === 'unavailable' ? ['withdrawn', id, BY_AVAILABILITY] : [kind, id];
    });
    await log('track', changes, { by, batchId: null, reason, reference });
    return changed;
  }

  async #rowIdsBy(
    column: 'id' | 'slug' | 'isrc',
    keys: readonly string[],
    limit?: number,
  ): Promise<Map<string, number[]>> {
    const found = new Map<string, number[]>();
    if (keys.length === 0) return found;
    const { queries, dialect } = this.database;
    let select = queries
      .selectFrom('tracks')
      .select(['rowId', `${column} as key`])
      .where(({ ref }) => dialect.isOneOf(ref(column), [...new Set(keys)]));
    // The condition of the index, in its words.
    if (column === 'isrc') select = select.where(sql<SqlBool>`isrc <> ''`);
    if (limit !== undefined) select = select.limit(limit);
    for (const { rowId, key } of await select.orderBy('rowId').execute()) {
      const rowIds = found.get(key);
      if (rowIds === undefined) found.set(key, [rowId]);
      else rowIds.push(rowId);
    }
    return found;
  }
}
