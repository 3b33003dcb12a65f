import { sql } from 'kysely';
import type { Actor } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { newId } from '../../../common/ids.ts';
import type {
  BatchCause,
  Queries,
  SqlDialect,
  WriteTransaction,
} from '../../../engines/sql/database.ts';
import type { BatchChange } from '../../../engines/sql/logged-change.ts';
import type { TrackState } from '../../availability/availability.ts';
import {
  followPeriods,
  selectPeriods,
  TRACK_STATE,
} from '../../availability/store/track-period.ts';
import { type FormerTrack, type KeptTrack, type UndoStep, undoStep } from '../batches.ts';
import { deliveredChange } from './delivered-change.ts';
import { forgetMessages } from './track-message-store.ts';

export interface UndoneBatch {
  rowId: number;
  id: string;
  firstSeq: number;
  lastSeq: number;
}

export interface LoggedChange {
  seq: number;
  kind: string;
  trackId: string;
}

export interface UndoneChange {
  /** Undefined if the track was removed. */
  track: FoundTrack | undefined;
  step: UndoStep;
}

interface FoundTrack {
  rowId: number;
  id: string;
  slug: string;
  state: TrackState;
  batchRowId: number | null;
}

/** Undoes one batch, one slice of its changes at a time. A slice contains each track at most once. */
export class Undo {
  readonly #dialect: SqlDialect;
  readonly #clock: Clock;
  readonly #batch: UndoneBatch;
  readonly #cause: BatchCause;

  constructor(dialect: SqlDialect, clock: Clock, batch: UndoneBatch, by: Actor) {
    this.#dialect = dialect;
    this.#clock = clock;
    this.#batch = batch;
    this.#cause = { by, batchId: newId(), label: `undo of ${batch.id}`, undoes: batch.rowId };
  }

  /** Undoes changes in one transaction, which may be rolled back and repeated. */
  async take(
    transaction: WriteTransaction,
    changes: readonly LoggedChange[],
  ): Promise<UndoneChange[]> {
    const { queries, log } = transaction;
    const undone = await this.look(queries, changes);
    const taken = undone.flatMap(({ track, step }) =>
      track !== undefined && step.kind === 'change' ? [{ track, step }] : [],
    );
    if (taken.length === 0) return undone;
    const isLogged = taken.some(({ step }) => step.change !== null);
    const writer = transaction.batchWriter(this.#cause);
    // The row of the batch stores the position in the log where its changes begin, so it must be created
    // before they are logged.
    const undoNumber = isLogged ? await writer.number() : null;
    const changed = await writer.putBack(
      taken.flatMap(({ track: { rowId }, step: { content } }) =>
        content === null ? [] : [{ rowId, former: content }],
      ),
    );
    await this.#update(queries, taken, undoNumber);
    await queries
      .deleteFrom('formerTracks')
      .where('batchRowId', '=', this.#batch.rowId)
      .where(({ ref }) =>
        this.#dialect.isOneOf(
          ref('trackRowId'),
          taken.map(({ track }) => track.rowId),
        ),
      )
      .execute();
    await forgetMessages(
      queries,
      this.#dialect,
      taken.map(({ track }) => track.id),
    );
    const states = await this.#follow(
      queries,
      taken.map(({ track }) => track.rowId),
    );
    const logged = taken.flatMap(({ track, step: { change } }): BatchChange[] => {
      if (change === null) return [];
      if (change === 'withdrawn') return [[change, track.id]];
      const members = changed.get(track.rowId);
      return [deliveredChange(track.id, track.state, states.get(track.rowId)!, members)];
    });
    await log('track', logged, this.#cause);
    await writer.count(logged);
    return undone;
  }

  /** Returns what undoing the changes would do. Writes nothing. */
  async look(queries: Queries, changes: readonly LoggedChange[]): Promise<UndoneChange[]> {
    const undoNumber = await this.#join(queries);
    const found = await queries
      .selectFrom('tracks')
      .select([
        'rowId',
        'id',
        'slug',
        'batchRowId',
        sql<TrackState>`${sql.raw(TRACK_STATE)}`.as('state'),
      ])
      .where(({ ref }) =>
        this.#dialect.isOneOf(
          ref('id'),
          changes.map(({ trackId }) => trackId),
        ),
      )
      .execute();
    const tracks = new Map(found.map((track) => [track.id, track]));
    const kept = await this.#kept(
      queries,
      found.map(({ rowId }) => rowId),
    );
    const batches = { batchRowId: this.#batch.rowId, undoRowId: undoNumber };
    return changes.map(({ kind, trackId }) => {
      const track = tracks.get(trackId);
      const step: UndoStep =
        track === undefined
          ? { kind: 'none' }
          : undoStep(kind, track, kept.get(track.rowId), batches);
      return { track, step };
    });
  }

  /**
   * Continues the batch of an undo that was begun before, or that another process has begun meanwhile.
   * Returns its row id; undefined if there is none.
   */
  async #join(queries: Queries): Promise<number | undefined> {
    const begun = await queries
      .selectFrom('importBatches')
      .select(['rowId', 'id'])
      .where('undoes', '=', this.#batch.rowId)
      .executeTakeFirst();
    if (begun !== undefined) this.#cause.batchId = begun.id;
    return begun?.rowId;
  }

  async #kept(queries: Queries, trackNumbers: readonly number[]): Promise<Map<number, KeptTrack>> {
    const rows = await queries
      .selectFrom('formerTracks')
      .select(['trackRowId', 'formerBatchRowId', 'source', 'externalId', 'audioKey', 'artworkKey'])
      .select([
        'fingerprint',
        'document',
        'iswc',
        'writers',
        'previewStart',
        'previewKey',
        'waveformKey',
        'stems',
        'versions',
        'language',
        'translations',
        'availability',
        'state',
      ])
      .where('batchRowId', '=', this.#batch.rowId)
      .where(({ ref }) => this.#dialect.isOneOf(ref('trackRowId'), trackNumbers))
      .execute();
    return new Map(
      rows.map(({ trackRowId, formerBatchRowId, state, document, ...former }) => [
        trackRowId,
        {
          formerBatchRowId,
          formerState: state!,
          former: document === null ? null : ({ ...former, document } as FormerTrack),
        },
      ]),
    );
  }

  /** Brings the tracks in line with their availability. Returns their states by row id. */
  async #follow(queries: Queries, rowIds: readonly number[]): Promise<Map<number, TrackState>> {
    const rows = await selectPeriods(queries)
      .where(({ ref }) => this.#dialect.isOneOf(ref('rowId'), rowIds))
      .execute();
    const on = { queries, dialect: this.#dialect };
    const tracks = await followPeriods(on, rows, this.#clock.now());
    return new Map(tracks.map(({ rowId, after }) => [rowId, after.state]));
  }

  async #update(
    queries: Queries,
    taken: readonly { track: FoundTrack; step: UndoStep & { kind: 'change' } }[],
    undoNumber: number | null,
  ): Promise<void> {
    const now = this.#clock.now();
    const given = this.#dialect.rows(
      'given',
      { trackRowId: 'integer', state: 'text', batchRowId: 'integer', updatedAt: 'integer' },
      taken.map(({ track, step }) => ({
        trackRowId: track.rowId,
        state: step.state ?? null,
        batchRowId: step.batchRowId === undefined ? undoNumber : step.batchRowId,
        updatedAt: step.change === null ? null : now,
      })),
    );
    await queries
      .updateTable('tracks')
      .from(given)
      .set(({ ref }) => ({
        state: sql<'live' | 'taken_down'>`
          CASE WHEN given.state = 'withdrawn' THEN 'taken_down'
               ELSE coalesce(given.state, tracks.state) END`,
        withdrawn: sql<boolean>`coalesce(given.state = 'withdrawn', tracks.withdrawn)`,
        unavailable: sql<boolean>`given.state IS NULL AND tracks.unavailable`,
        updatedAt: sql<number>`coalesce(given.updated_at, tracks.updated_at)`,
        batchRowId: ref('given.batchRowId'),
      }))
      .whereRef('tracks.rowId', '=', 'given.trackRowId')
      .execute();
  }
}
