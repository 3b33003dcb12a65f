import { type SqlBool, sql } from 'kysely';
import {
  ANALYSIS_VERSION,
  type SoundAnalysis,
  type SoundValues,
} from '../../../engines/audio/sound/sound-analysis.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { type FilledColumns, filled } from '../../catalog/detected.ts';
import type { TrackType } from '../../catalog/track.ts';
import type { RenditionClaim, RenditionState } from '../../renditions/rendition.ts';
import { isUnnamed } from '../../renditions/store/rendition-rows.ts';
import { detectedValues } from '../sound.ts';

/** The audio files, and the tracks with one of them, that one transaction fills: some milliseconds. */
const PUBLISHED_FILES = 100;
const FILLED_TRACKS = 200;

/** The condition of the partial index, in its words. */
const IS_UNPUBLISHED = sql<SqlBool>`NOT is_published`;

const BY = { by: 'system:analysis', batchId: null } as const;

/** What the analysis of audio found, by file, and the values of tracks that come from it. */
export class SoundStore extends SqlStore {
  /** Stores the result of a claim, and ends it. Does nothing, and returns false, if another holder has the claim. */
  async finish({ audioKey, holder }: RenditionClaim, analysis: SoundAnalysis): Promise<boolean> {
    const { vector, ...found } = analysis;
    const row = {
      version: ANALYSIS_VERSION,
      found: JSON.stringify(found),
      vector: new Uint8Array(vector.buffer, vector.byteOffset, vector.length),
      isPublished: false,
    };
    return this.database.apart(async (queries) => {
      const { numDeletedRows } = await queries
        .deleteFrom('soundJobs')
        .where('audioKey', '=', audioKey)
        .where('state', '=', 'running')
        .where('claimedBy', '=', holder)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await queries
        .insertInto('sounds')
        .values({ audioKey, ...row })
        .onConflict((conflict) => conflict.column('audioKey').doUpdateSet(row))
        .execute();
      return true;
    });
  }

  /**
   * Gives the tracks of new results what was found and not delivered, and logs that they have vectors. Works in short
   * transactions until none is left or the signal aborts.
   */
  async publish(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      // Without the lock of all writers, because there is almost never anything to do.
      const keys = await this.#unpublished();
      if (keys.length === 0) return;
      for (let last = 0; ; ) {
        const rows = await this.database.write(async (transaction) => {
          const tracks = await this.#tracksWith(transaction.queries, keys, last);
          await fill(transaction, tracks, this.clock.now());
          const analyzed = tracks.map(({ id }) => ['analyzed', id] as const);
          if (analyzed.length > 0) await transaction.log('sound', analyzed, BY);
          if (tracks.length < FILLED_TRACKS) await this.#markPublished(transaction.queries, keys);
          return tracks;
        });
        if (rows.length < FILLED_TRACKS) break;
        last = rows.at(-1)!.rowId;
      }
      await this.database.settle();
    }
  }

  /** Fills the tracks with this audio, of which results were published before. */
  async fill(audioKeys: readonly string[]): Promise<void> {
    for (let last = 0; ; ) {
      // Almost all tracks have what they need, so most calls need no lock.
      const rows = await this.#tracksWith(this.database.queries, audioKeys, last);
      const ids = rows.filter((row) => fillOf(row) !== undefined).map(({ rowId }) => rowId);
      if (ids.length > 0) {
        await this.database.write(async (transaction) => {
          const tracks = await this.#tracksWith(transaction.queries, audioKeys, last);
          await fill(transaction, tracks, this.clock.now());
        });
      }
      if (rows.length < FILLED_TRACKS) return;
      last = rows.at(-1)!.rowId;
    }
  }

  /** The number of audio files that were analyzed. Reads all of them without delaying other work. */
  async count(): Promise<number> {
    const { count } = await this.database.aside
      .selectFrom('sounds')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('version', '>=', ANALYSIS_VERSION)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** What was found in the audio of a track. */
  async find(audioKey: string): Promise<(SoundValues & { version: number }) | undefined> {
    const row = await this.database.queries
      .selectFrom('sounds')
      .select(['version', 'found'])
      .where('audioKey', '=', audioKey)
      .executeTakeFirst();
    return row && { ...parseStored<SoundValues>(row.found), version: row.version };
  }

  /** The job to analyze an audio file, if it is not done. */
  job(audioKey: string): Promise<{ state: RenditionState; error: string | null } | undefined> {
    return this.database.queries
      .selectFrom('soundJobs')
      .select(['state', 'error'])
      .where('audioKey', '=', audioKey)
      .executeTakeFirst();
  }

  /**
   * Deletes the results for audio that neither a track nor the former content of a track names. Works in short
   * transactions, until the signal aborts. Returns their number.
   */
  async dropUnnamed(signal?: AbortSignal): Promise<number> {
    let dropped = 0;
    let last = '';
    const dropSome = async (limit: number) => {
      const slice = await this.database.aside
        .selectFrom('sounds')
        .select('audioKey')
        .where('audioKey', '>', last)
        .orderBy('audioKey')
        .limit(limit)
        .execute();
      const keys = slice.map(({ audioKey }) => audioKey);
      last = keys.at(-1) ?? last;
      if (keys.length > 0) dropped += await this.#dropUnnamedOf(keys);
      return keys.length > 0;
    };
    await inSlices(this.database, dropSome, { signal });
    return dropped;
  }

  async #dropUnnamedOf(keys: readonly string[]): Promise<number> {
    const { dialect } = this.database;
    const rows = await this.database.discard((queries) =>
      queries
        .deleteFrom('sounds')
        .where(({ ref }) => dialect.isOneOf(ref('audioKey'), keys))
        .where(isUnnamed('sounds'))
        .returning('audioKey')
        .execute(),
    );
    return rows.length;
  }

  async #unpublished(): Promise<string[]> {
    const rows = await this.database.queries
      .selectFrom('sounds')
      .select('audioKey')
      .where(IS_UNPUBLISHED)
      .limit(PUBLISHED_FILES)
      .execute();
    return rows.map(({ audioKey }) => audioKey);
  }

  async #markPublished(queries: Queries, keys: readonly string[]): Promise<void> {
    await queries
      .updateTable('sounds')
      .set({ isPublished: true })
      .where(({ ref }) => this.database.dialect.isOneOf(ref('audioKey'), keys))
      .execute();
  }

  /** Up to FILLED_TRACKS tracks of any state with this audio after a row id, in its order. */
  #tracksWith(queries: Queries, audioKeys: readonly string[], rowId: number): Promise<Row[]> {
    return queries
      .selectFrom('tracks')
      .innerJoin('sounds', 'sounds.audioKey', 'tracks.audioKey')
      .select(['tracks.rowId', 'tracks.id', 'tracks.type', 'sounds.found'])
      .select(['tracks.bpm', 'tracks.songKeys', 'tracks.detected'])
      .where(({ ref }) => this.database.dialect.isOneOf(ref('sounds.audioKey'), audioKeys))
      .where('tracks.rowId', '>', rowId)
      .orderBy('tracks.rowId')
      .limit(FILLED_TRACKS)
      .execute();
  }
}

/** A track with what was found in its audio. */
type Row = FilledColumns & { rowId: number; id: string; type: TrackType; found: string };

const MEMBERS = { bpm: 'bpm', songKeys: 'songKey', detected: 'detected' } as const;
const COLUMNS = ['bpm', 'songKeys', 'detected'] as const;

/** Returns the columns of a track that a fill changes; undefined if it changes none. Effects have neither tempo nor key. */
function fillOf(track: Row): FilledColumns | undefined {
  if (track.type !== 'music') return undefined;
  const after = filled(track, detectedValues(parseStored(track.found)));
  return COLUMNS.some((column) => after[column] !== track[column]) ? after : undefined;
}

/** Gives tracks what their audio has, and logs the members that this changes. */
async function fill(
  { queries, log }: WriteTransaction,
  tracks: readonly Row[],
  updatedAt: number,
): Promise<void> {
  const changes: ['updated', string, string[]][] = [];
  for (const track of tracks) {
    const after = fillOf(track);
    if (after === undefined) continue;
    await queries
      .updateTable('tracks')
      .set({ ...after, updatedAt })
      .where('rowId', '=', track.rowId)
      .execute();
    const changed = COLUMNS.filter((column) => after[column] !== track[column]);
    changes.push(['updated', track.id, changed.map((column) => MEMBERS[column])]);
  }
  if (changes.length > 0) await log('track', changes, BY);
}
