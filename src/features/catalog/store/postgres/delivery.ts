import type { Clock } from '../../../../common/clock.ts';
import type { BatchChange, Cause } from '../../../../engines/sql/logged-change.ts';
import { ChangeAppender } from '../../../../engines/sql/postgres/change-appender.ts';
import type { Database, Transaction } from '../../../../engines/sql/postgres/database.ts';
import { LIVE_OR_UNAVAILABLE } from '../../../availability/store/track-period.ts';
import type { DeliveryCause, DeliverySession, TakeCreated } from '../../catalog-stores.ts';
import type { DeliveryOutcome, TrackDelivery } from '../../track.ts';
import { type Seal, sealOf } from '../../track-document.ts';
import type { HiddenChange } from '../../track-edits.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { ABSENT, type CatalogHead, DeliveryMemory, DOWN, type Look } from './delivery-memory.ts';
import { crowdingDeliveries } from './track-lists.ts';
import { type Delivered, type Redelivered, TrackWriter } from './track-writer.ts';

/** The time that a transaction should hold the lock of all writers: with its commit, well under 100 ms. */
const LOCK_MS = 50;
const FIRST_SLICE = 250;
const MIN_SLICE = 20;
const MAX_SLICE = 2_000;
/** The number of tracks that one transaction of a prune withdraws. */
const WITHDRAWAL_SLICE = 500;

/** Selects the tracks with these ids that are live and belong to a source. */
const WITHDRAWABLE = `
  SELECT row_id AS "rowId" FROM tracks
  WHERE id = ANY($1::text[]) AND source = $2 AND ${LIVE_OR_UNAVAILABLE} ORDER BY row_id`;

/** The result of one transaction, and the changes to log. */
interface Work<T> {
  result: T;
  changes: readonly BatchChange[];
}

export class PostgresDeliverySession implements DeliverySession {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cause: Cause;
  readonly #memory: DeliveryMemory;
  readonly #writer: TrackWriter;
  readonly #changes: ChangeAppender;
  readonly #batch: BatchRecorder;
  readonly #onCreated: TakeCreated | undefined;
  #hidden: HiddenChange[] = [];
  #slice = FIRST_SLICE;
  /** The catalog after the last write of this session. Another head means that another process wrote. */
  #head: CatalogHead | undefined;

  private constructor(
    database: Database,
    clock: Clock,
    { onCreated, ...cause }: DeliveryCause,
    memory: DeliveryMemory,
  ) {
    this.#onCreated = onCreated;
    this.#database = database;
    this.#clock = clock;
    this.#cause = cause;
    this.#memory = memory;
    this.#batch = new BatchRecorder(clock, cause);
    this.#writer = new TrackWriter(clock, this.#batch, onCreated !== undefined);
    this.#changes = new ChangeAppender(clock);
  }

  static async open(
    database: Database,
    clock: Clock,
    cause: DeliveryCause,
  ): Promise<PostgresDeliverySession> {
    const memory = await DeliveryMemory.open(database);
    return new PostgresDeliverySession(database, clock, cause, memory);
  }

  async deliver(
    batch: readonly TrackDelivery[],
    seals: readonly Seal[] = batch.map(sealOf),
  ): Promise<DeliveryOutcome[]> {
    const outcomes: DeliveryOutcome[] = [];
    const all = delivered(batch, seals);
    while (outcomes.length < batch.length) {
      const from = outcomes.length;
      const slice = all.slice(from, from + this.#slice);
      const { result, lockMs } = await this.#write(idsOf(slice), (tx, look) =>
        this.#deliverSlice(tx, slice, look),
      );
      outcomes.push(...result.outcomes);
      this.#memory.rememberCreated(result.numbers);
      if (this.#writer.created.length > 0) await this.#onCreated?.(this.#writer.created);
      const fitting = Math.round((slice.length * LOCK_MS) / Math.max(lockMs, 1));
      this.#slice = Math.min(MAX_SLICE, Math.max(MIN_SLICE, fitting), 2 * this.#slice);
    }
    return outcomes;
  }

  async preview(
    batch: readonly TrackDelivery[],
    seals: readonly Seal[] = batch.map(sealOf),
  ): Promise<DeliveryOutcome[]> {
    const slice = delivered(batch, seals);
    // A preview writes nothing to the catalog. It remembers the records, as a delivery does.
    const { result } = await this.#write(idsOf(slice), async (tx, look) => {
      const decisions = await this.#decide(tx, slice, look);
      const creations = decisions.flatMap((one) => ('create' in one ? [one.create] : []));
      const updates = decisions.flatMap((one) => ('update' in one ? [one.update] : []));
      const changed = await this.#writer.preview(tx, updates);
      await this.#memory.rememberPreviewed(
        tx,
        creations.map(({ delivery, fingerprint }) => [delivery.id, fingerprint]),
      );
      return { result: decisions.map((one) => outcomeOf(one, changed)), changes: [] };
    });
    return result;
  }

  takeHidden(): HiddenChange[] {
    const hidden = this.#hidden;
    this.#hidden = [];
    return hidden;
  }

  async list(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#write([], async (tx) => {
      await this.#memory.list(tx, ids);
      return { result: undefined, changes: [] };
    });
  }

  async takenDown(limit: number): Promise<{ count: number; slugs: string[] }> {
    const own = this.#memory.own();
    return this.#database.view(async (tx) => {
      const [row] = await tx.rows<{ count: number }>(
        `SELECT count(*) AS count FROM tracks WHERE ${DOWN}`,
        own,
      );
      const tracks = await tx.rows<{ slug: string }>(
        `SELECT slug FROM tracks WHERE ${DOWN} ORDER BY row_id LIMIT $3`,
        [...own, limit],
      );
      return { count: row!.count, slugs: tracks.map(({ slug }) => slug) };
    });
  }

  async countAbsent(source: string): Promise<number> {
    await this.#memory.makeSure((text, values) => this.#database.rows(text, values));
    const sql = `SELECT count(*) AS count FROM tracks WHERE ${ABSENT}`;
    const [row] = await this.#database.rows<{ count: number }>(sql, this.#memory.absentees(source));
    return row!.count;
  }

  async withdrawAbsent(source: string): Promise<number> {
    // This search may read the whole source, so it runs before the lock is taken.
    const sql = `SELECT row_id AS "rowId", id FROM tracks WHERE ${ABSENT} AND row_id > $4 ORDER BY row_id LIMIT $5`;
    let withdrawn = 0;
    let lastRowId = 0;
    for (;;) {
      const absent = await this.#database.rows<{ rowId: number; id: string }>(sql, [
        ...this.#memory.absentees(source),
        lastRowId,
        WITHDRAWAL_SLICE,
      ]);
      if (absent.length === 0) return withdrawn;
      const numbers = absent.map(({ rowId }) => rowId);
      withdrawn += (await this.#write([], (tx) => this.#withdraw(tx, numbers))).result;
      lastRowId = absent.at(-1)!.rowId;
    }
  }

  async withdraw(source: string, ids: readonly string[]): Promise<number> {
    let withdrawn = 0;
    for (let at = 0; at < ids.length; at += WITHDRAWAL_SLICE) {
      const slice = ids.slice(at, at + WITHDRAWAL_SLICE);
      const { result } = await this.#write([], async (tx) => {
        const tracks = await tx.rows<{ rowId: number }>(WITHDRAWABLE, [slice, source]);
        return this.#withdraw(
          tx,
          tracks.map(({ rowId }) => rowId),
        );
      });
      withdrawn += result;
    }
    return withdrawn;
  }

  async countWithdrawable(source: string, ids: readonly string[]): Promise<number> {
    return (await this.#database.rows(WITHDRAWABLE, [ids, source])).length;
  }

  async close(): Promise<void> {
    await this.#database.write((tx) => this.#memory.forget(tx));
  }

  async #withdraw(tx: Transaction, numbers: readonly number[]): Promise<Work<number>> {
    const there = await tx.rows<{ rowId: number; id: string }>(
      `SELECT row_id AS "rowId", id FROM tracks
       WHERE row_id = ANY($1::bigint[]) AND ${LIVE_OR_UNAVAILABLE} ORDER BY row_id`,
      [numbers],
    );
    if (there.length === 0) return { result: 0, changes: [] };
    const withdrawn = there.map(({ rowId }) => rowId);
    await this.#batch.keep(tx, withdrawn, []);
    await tx.rows(
      `UPDATE tracks SET state = 'taken_down', withdrawn = true, unavailable = false, updated_at = $1, batch_row_id = $2
       WHERE row_id = ANY($3::bigint[])`,
      [this.#clock.now(), await this.#batch.rowId(tx), withdrawn],
    );
    return { result: there.length, changes: there.map(({ id }) => ['withdrawn', id]) };
  }

  async #deliverSlice(
    tx: Transaction,
    slice: readonly Delivered[],
    look: Look,
  ): Promise<Work<{ outcomes: DeliveryOutcome[]; numbers: readonly number[] }>> {
    const decisions = await this.#decide(tx, slice, look);
    const creations = decisions.flatMap((one) => ('create' in one ? [one.create] : []));
    const updates = decisions.flatMap((one) => ('update' in one ? [one.update] : []));
    const changed = await this.#writer.write(tx, creations, look.nextRowId, updates);
    const changes = decisions.flatMap((one): BatchChange[] => {
      const change = changeOf(one, changed);
      return change === undefined ? [] : [change];
    });
    const outcomes = decisions.map((one) => outcomeOf(one, changed));
    const numbers = creations.map((_, i) => look.nextRowId + i);
    return { result: { outcomes, numbers }, changes };
  }

  /** Compares each delivery with the stored tracks and with the deliveries before it. Keeps their order. */
  async #decide(
    tx: Transaction,
    slice: readonly Delivered[],
    { tracks }: Look,
  ): Promise<Decision[]> {
    const known = new Map(tracks.map((track) => [track.id, track]));
    const unknown = idsOf(slice).filter((id) => !known.has(id));
    const seen = await this.#memory.seen(tx, tracks, unknown);
    const crowding = await crowdingDeliveries(
      tx,
      slice.flatMap(({ delivery }) => {
        const track = known.get(delivery.id);
        return track === undefined ? [] : [{ rowId: track.rowId, delivery }];
      }),
    );
    const firsts: [number, Buffer][] = [];
    const decisions = slice.map((one): Decision => {
      const { id } = one.delivery;
      const first = seen.get(id);
      if (first !== undefined) {
        return { outcome: one.fingerprint.equals(first) ? 'unchanged' : 'duplicate' };
      }
      const track = known.get(id);
      // A withdrawn track belongs to no source.
      if (track && track.source !== one.delivery.source && track.state !== 'withdrawn') {
        return { outcome: 'foreign' };
      }
      seen.set(id, one.fingerprint);
      if (track === undefined) return { create: one };
      firsts.push([track.rowId, one.fingerprint]);
      if (crowding.has(one.delivery)) return { outcome: 'crowded' };
      const { rowId, state } = track;
      return one.fingerprint.equals(track.fingerprint) && state !== 'withdrawn'
        ? { outcome: 'unchanged' }
        : { update: { ...one, rowId, state } };
    });
    await this.#memory.remember(tx, firsts);
    return decisions;
  }

  /**
   * Runs work that needs the tracks with these ids, and logs its changes. `lockMs` is the time for which the
   * lock of all writers was held.
   */
  async #write<T>(
    ids: readonly string[],
    work: (tx: Transaction, look: Look) => Promise<Work<T>>,
  ): Promise<{ result: T; lockMs: number }> {
    let startMs = 0;
    let expected = this.#head;
    // If the attempt is rolled back, the remembered head may be wrong.
    this.#head = undefined;
    try {
      const result = await this.#database.write(async (tx) => {
        startMs = performance.now();
        const look = await this.#memory.look(tx, ids);
        if (!isSameHead(look.head, expected)) {
          this.#writer.forget();
          this.#batch.forget();
        }
        expected = undefined;
        this.#writer.hidden = [];
        this.#writer.created = [];
        const made = await work(tx, look);
        const seq = await this.#changes.appendAll(tx, 'track', made.changes, this.#cause);
        await this.#batch.count(tx, made.changes);
        this.#head = { ...look.head, seq: seq ?? look.head.seq };
        return made.result;
      });
      this.#hidden.push(...this.#writer.hidden);
      return { result, lockMs: performance.now() - startMs };
    } catch (error) {
      this.#head = undefined;
      throw error;
    }
  }
}

function isSameHead(one: CatalogHead, other: CatalogHead | undefined): boolean {
  return one.seq === other?.seq && one.artistRemovals === other.artistRemovals;
}

function idsOf(slice: readonly Delivered[]): string[] {
  return [...new Set(slice.map(({ delivery }) => delivery.id))];
}

function delivered(batch: readonly TrackDelivery[], seals: readonly Seal[]): Delivered[] {
  return batch.map((delivery, i) => ({ delivery, fingerprint: seals[i]!.fingerprint }));
}

/** What happens with a delivery: it has an outcome without a write, creates a track, or may update one. */
type Decision = { outcome: DeliveryOutcome } | { create: Delivered } | { update: Redelivered };

/** `changed` has the ids of the tracks that the updates change. */
function outcomeOf(decision: Decision, changed: Pick<ReadonlySet<string>, 'has'>): DeliveryOutcome {
  if ('outcome' in decision) return decision.outcome;
  if ('create' in decision) return 'created';
  return changed.has(decision.update.delivery.id) ? 'updated' : 'unchanged';
}

/** Returns the change to log, if there is one. `changed` has the changes of the updates by the ids of their tracks. */
function changeOf(
  decision: Decision,
  changed: ReadonlyMap<string, BatchChange>,
): BatchChange | undefined {
  if ('outcome' in decision) return undefined;
  if ('create' in decision) return ['created', decision.create.delivery.id];
  return changed.get(decision.update.delivery.id);
}
