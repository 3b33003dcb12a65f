import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import type { Queries } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  alreadyAnUndo,
  type Batch,
  expiredBatch,
  isTooMuchKept,
  stillRuns,
  type UndoOptions,
  type UndoSummary,
  unknownBatch,
} from '../batches.ts';
import { lastTrack } from './track-names.ts';
import { type LoggedChange, Undo, type UndoneBatch } from './undo.ts';

/** How long one transaction of an undo should take: if it blocks this thread, and otherwise. */
const OWN_LOCK_MS = 20;
const LOCK_MS = 50;
/** The number of changes that one transaction undoes: at first, at least and at most. */
const FIRST_SLICE = 50;
const MIN_SLICE = 20;
const MAX_SLICE = 1_000;

/**
 * The imports that changed something. The former content of each changed track is kept until `expire` deletes it, and an
 * import can be undone until then.
 */
export class BatchStore extends SqlStore {
  /** The latest batches, newest first. */
  latest(limit: number): Promise<Batch[]> {
    return this.database.queries
      .selectFrom('importBatches as batch')
      .leftJoin('importBatches as undone', 'undone.rowId', 'batch.undoes')
      .leftJoin('importBatches as undo', (join) =>
        // An import that still ran when it was undone has changed more since.
        join.onRef('undo.undoes', '=', 'batch.rowId').onRef('undo.lastSeq', '>', 'batch.lastSeq'),
      )
      .select(['batch.id', 'batch.at', 'batch.by', 'batch.label'])
      .select(['batch.created', 'batch.updated', 'batch.withdrawn', 'batch.restored'])
      .select(['batch.expired', 'undone.id as undoes', 'undo.id as undoneBy'])
      .orderBy('batch.rowId', 'desc')
      .limit(limit)
      .execute();
  }

  /**
   * Undoes one import, in short transactions that are logged as one batch. A track that another import has
   * changed since is not changed, and a track that the operator took down stays down. An undo that was killed
   * can be repeated and continues where it ended. Throws not_found if the batch is unknown, gone if it has expired, and
   * conflict if it is an undo itself, or if the import still runs: what it had changed before is undone.
   */
  async undo(id: string, { by, dryRun = false, onSkipped }: UndoOptions): Promise<UndoSummary> {
    const batch = await this.#batch(id);
    const undo = new Undo(this.database.dialect, this.clock, batch, by);
    const summary: UndoSummary = { withdrawn: 0, updated: 0, restored: 0, skipped: 0 };
    const wantedMs = this.database.blocksEventLoop ? OWN_LOCK_MS : LOCK_MS;
    // Undoes the newest change first, so that several changes of one track are undone in the right order.
    let before = batch.lastSeq + 1;
    let slice = FIRST_SLICE;
    for (;;) {
      const changes = eachTrackOnce(await this.#changes(batch, before, slice));
      if (changes.length === 0) {
        if ((await this.#batch(id)).lastSeq > batch.lastSeq) throw stillRuns(id);
        return summary;
      }
      let lockMs = 0;
      const undone = await (dryRun
        ? this.database.view((queries) => undo.look(queries, changes))
        : this.database.write(async (transaction) => {
            const startMs = performance.now();
            const done = await undo.take(transaction, changes);
            lockMs = performance.now() - startMs;
            return done;
          }));
      for (const { step, track } of undone) {
        if (step.kind === 'change' && step.change !== null) summary[step.change]++;
        if (step.kind === 'skip') {
          summary.skipped++;
          onSkipped?.(track!.slug);
        }
      }
      before = changes.at(-1)!.seq;
      const fitting = Math.round((slice * wantedMs) / Math.max(lockMs, 1));
      slice = Math.min(MAX_SLICE, Math.max(MIN_SLICE, fitting), 2 * slice);
      await nextTurn();
    }
  }

  /**
   * Deletes the former tracks of the batches from before a time, and of the oldest batches while all of them keep more than
   * three times as many former tracks as the catalog ever had. Works in short transactions; after the signal aborts, no
   * further one begins. Returns the number of batches that can no longer be undone from now on.
   */
  async expire(before: number, signal?: AbortSignal): Promise<number> {
    let expired = 0;
    while (!signal?.aborted) {
      const number = await this.database.view((queries) => nextExpired(queries, before));
      if (number === undefined) return expired;
      await inSlices(this.database, (rows) => this.#deleteFormerTracks(number, rows), { signal });
      if (signal?.aborted) return expired;
      await this.database.write(({ queries }) =>
        queries
          .updateTable('importBatches')
          .set({ expired: true })
          .where('rowId', '=', number)
          .execute(),
      );
      expired++;
    }
    return expired;
  }

  /** Deletes the batches from before a time that can no longer be undone. */
  async forget(before: number): Promise<void> {
    await this.database.write(({ queries }) =>
      queries
        .deleteFrom('importBatches')
        .where('at', '<', before)
        .where('expired', '=', true)
        .execute(),
    );
  }

  async #batch(id: string): Promise<UndoneBatch> {
    const batch = await this.database.queries
      .selectFrom('importBatches')
      .select(['rowId', 'id', 'firstSeq', 'lastSeq', 'undoes', 'expired'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (batch === undefined) throw unknownBatch(id);
    if (batch.undoes !== null) throw alreadyAnUndo(id);
    if (batch.expired) throw expiredBatch(id);
    return batch;
  }

  #changes({ id, firstSeq }: UndoneBatch, before: number, limit: number): Promise<LoggedChange[]> {
    return this.database.queries
      .selectFrom('changeLog')
      .select(['seq', 'kind', 'entityId as trackId'])
      .where('entity', '=', 'track')
      .where('seq', '>=', firstSeq)
      .where('seq', '<', before)
      .where('batchId', '=', id)
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
  }

  /** Deletes up to `rows` former tracks of a batch. Returns whether there were as many. */
  async #deleteFormerTracks(number: number, rows: number): Promise<boolean> {
    return this.database.write(async ({ queries }) => {
      const { numDeletedRows } = await queries
        .deleteFrom('formerTracks')
        .where('batchRowId', '=', number)
        .where('trackRowId', 'in', ({ selectFrom }) =>
          selectFrom('formerTracks')
            .select('trackRowId')
            .where('batchRowId', '=', number)
            .limit(rows),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows) === rows;
    });
  }
}

/** The condition of an index, in its words. */
const IS_KEPT = sql<SqlBool>`NOT expired`;

/** Returns the row id of the next batch to expire; undefined if none is due. */
async function nextExpired(queries: Queries, before: number): Promise<number | undefined> {
  const kept = sql<number>`updated + withdrawn + restored`;
  const batches = queries.selectFrom('importBatches').where(IS_KEPT);
  const [old] = await batches
    .select('rowId')
    .where('at', '<', before)
    .orderBy('at')
    .limit(1)
    .execute();
  if (old !== undefined) return old.rowId;
  const { versions } = await batches
    .select(sql<number>`cast(coalesce(sum(${kept}), 0) AS bigint)`.as('versions'))
    .where('undoes', 'is', null)
    .executeTakeFirstOrThrow();
  const { greatest } = await queries
    .selectFrom('removedNumbers')
    .select('greatest')
    .executeTakeFirstOrThrow();
  const last = await lastTrack(queries);
  if (!isTooMuchKept(versions, Math.max(greatest, last))) return undefined;
  const [oldest] = await batches
    .select('rowId')
    .where(kept, '>', 0)
    .where('undoes', 'is', null)
    .orderBy('rowId')
    .limit(1)
    .execute();
  return oldest?.rowId;
}

/**
 * Returns the changes before the first one that repeats a track, because a step reads the state of a track
 * only once.
 */
function eachTrackOnce(changes: readonly LoggedChange[]): LoggedChange[] {
  const seen = new Set<string>();
  const end = changes.findIndex(({ trackId }) => seen.has(trackId) || !seen.add(trackId));
  return end === -1 ? [...changes] : changes.slice(0, end);
}
