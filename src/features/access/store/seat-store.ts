import type { Actor } from '../../../common/caller.ts';
import { newId } from '../../../common/ids.ts';
import type { ChangeKind } from '../../../engines/change-log/change-log.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  refuseDisabled,
  refuseExcessSeat,
  refuseKnownSeat,
  SEAT_SESSION_MS,
  type Seat,
  type SeatChange,
  type SeatRecord,
  type SignInLink,
  unknownSeat,
} from '../seat.ts';
import { clientNumber } from './client-store.ts';

type StoredSeat = Seat & { rowId: number; clientRowId: number };

/** The seats of clients, and their sign-in links. Ids are in lower case; unknown ones throw not_found. */
export class SeatStore extends SqlStore {
  /** Throws conflict if the client has the most seats, or one with the name. */
  create(clientId: string, seat: Seat, link: SignInLink, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const clientRowId = await clientNumber(queries, clientId);
      const others = await seatsOf(queries, clientRowId);
      refuseExcessSeat(others.length);
      refuseKnownSeat(seat.name, others);
      const { rowId } = await queries
        .insertInto('seats')
        .values({ ...seat, clientRowId })
        .returning('rowId')
        .executeTakeFirstOrThrow();
      await this.#replaceLink(queries, rowId, link);
      await logSeat(transaction, seat.id, ['created'], by);
    });
  }

  /**
   * Throws conflict if another seat of the client has the name. A lower role and another mode give the sessions new ids,
   * so the tokens that they gave stay invalid if the former role or mode comes back.
   */
  update(id: string, change: SeatChange, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const seat = await existing(queries, id);
      if (change.name !== undefined) {
        const others = await seatsOf(queries, seat.clientRowId);
        refuseKnownSeat(
          change.name,
          others.filter((other) => other.id !== id),
        );
      }
      await queries.updateTable('seats').set(change).where('id', '=', id).execute();
      if (endsTokens(seat, change)) await renewSessions(queries, seat.rowId);
      await logSeat(transaction, id, ['updated'], by);
    });
  }

  /** Disabling ends the sessions and the link. Returns false if it is no change. */
  setEnabled(id: string, enabled: boolean, by: Actor): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const seat = await existing(queries, id);
      if (seat.enabled === enabled) return false;
      await queries.updateTable('seats').set({ enabled }).where('id', '=', id).execute();
      if (!enabled) {
        await queries.deleteFrom('clientSessions').where('seatRowId', '=', seat.rowId).execute();
        await queries.deleteFrom('signInLinks').where('seatRowId', '=', seat.rowId).execute();
      }
      await logSeat(transaction, id, [enabled ? 'enabled' : 'disabled'], by);
      return true;
    });
  }

  /** Removes a seat with its sessions and its link. What it did keeps its name. */
  remove(id: string, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const { name } = await existing(transaction.queries, id);
      await transaction.queries.deleteFrom('seats').where('id', '=', id).execute();
      await transaction.log('seat', [['deleted', id, [name]]], { by, batchId: null });
    });
  }

  /** Replaces the unused link of a seat. Throws conflict for a disabled seat. */
  addLink(id: string, link: SignInLink, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const seat = await existing(transaction.queries, id);
      refuseDisabled(seat);
      await this.#replaceLink(transaction.queries, seat.rowId, link);
      await logSeat(transaction, id, ['link_created'], by);
    });
  }

  /** Ends the sessions of a seat, and returns how many there were. Its unused link stays. */
  endSessions(id: string, by: Actor): Promise<number> {
    return this.database.write(async (transaction) => {
      const { rowId } = await existing(transaction.queries, id);
      const { numDeletedRows } = await transaction.queries
        .deleteFrom('clientSessions')
        .where('seatRowId', '=', rowId)
        .executeTakeFirstOrThrow();
      if (numDeletedRows > 0n) await logSeat(transaction, id, ['sessions_ended'], by);
      return Number(numDeletedRows);
    });
  }

  /** The seats of a client, or of all clients, the oldest first. Throws not_found for an unknown client. */
  async records(clientId?: string): Promise<SeatRecord[]> {
    const { queries } = this.database;
    if (clientId !== undefined) await clientNumber(queries, clientId);
    const rows = await this.#select()
      .$if(clientId !== undefined, (query) => query.where('clients.id', '=', clientId!))
      .execute();
    return rows.map(recordOf);
  }

  async record(id: string): Promise<SeatRecord> {
    const row = await this.#select().where('seats.id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknownSeat(id);
    return recordOf(row);
  }

  /** The enabled seats of all clients, or of one, with the ids of their clients. */
  enabled(clientId?: string): Promise<(Seat & { clientId: string })[]> {
    return this.database.queries
      .selectFrom('seats')
      .innerJoin('clients', 'clients.rowId', 'seats.clientRowId')
      .select(['seats.id', 'seats.name', 'seats.role', 'seats.mode', 'seats.enabled'])
      .select(['seats.createdAt', 'clients.id as clientId'])
      .where('seats.enabled', '=', true)
      .$if(clientId !== undefined, (query) => query.where('clients.id', '=', clientId!))
      .execute();
  }

  /** The names of all seats, with the ids of their clients. */
  names(): Promise<(Pick<Seat, 'id' | 'name'> & { clientId: string })[]> {
    return this.database.queries
      .selectFrom('seats')
      .innerJoin('clients', 'clients.rowId', 'seats.clientRowId')
      .select(['seats.id', 'seats.name', 'clients.id as clientId'])
      .execute();
  }

  /** The id of the client of a seat; undefined if there is no such seat. */
  async clientOf(id: string): Promise<string | undefined> {
    const row = await this.database.queries
      .selectFrom('seats')
      .innerJoin('clients', 'clients.rowId', 'seats.clientRowId')
      .select('clients.id')
      .where('seats.id', '=', id)
      .executeTakeFirst();
    return row?.id;
  }

  #select() {
    const now = this.clock.now();
    return this.database.queries
      .selectFrom('seats')
      .innerJoin('clients', 'clients.rowId', 'seats.clientRowId')
      .select(['seats.id', 'clients.id as clientId', 'seats.name', 'seats.role', 'seats.mode'])
      .select(['seats.enabled', 'seats.createdAt'])
      .select(({ selectFrom }) => [
        selectFrom('clientRequests')
          .select(({ fn }) => fn.max('usedAt').as('at'))
          .whereRef('clientRequests.clientId', '=', 'clients.id')
          .whereRef('clientRequests.secretId', '=', 'seats.id')
          .as('lastRequestAt'),
        selectFrom('clientSessions')
          .select(({ fn }) => fn.max('clientSessions.expiresAt').as('at'))
          .whereRef('clientSessions.seatRowId', '=', 'seats.rowId')
          .as('lastSessionEndsAt'),
        selectFrom('clientSessions')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('clientSessions.seatRowId', '=', 'seats.rowId')
          .where('clientSessions.expiresAt', '>', now)
          .$asScalar()
          .$notNull()
          .as('sessions'),
        selectFrom('signInLinks')
          .select('signInLinks.expiresAt')
          .whereRef('signInLinks.seatRowId', '=', 'seats.rowId')
          .where('signInLinks.expiresAt', '>', now)
          .as('linkExpiresAt'),
      ])
      .orderBy('seats.createdAt')
      .orderBy('seats.id');
  }

  async #replaceLink(queries: Queries, seatRowId: number, link: SignInLink): Promise<void> {
    const row = { ...link, createdAt: this.clock.now() };
    await queries
      .insertInto('signInLinks')
      .values({ seatRowId, ...row })
      .onConflict((conflict) => conflict.column('seatRowId').doUpdateSet(row))
      .execute();
  }
}

/** The requests of the last seconds may not be counted yet, but each use of a session sets its end. */
function recordOf({
  lastRequestAt,
  lastSessionEndsAt,
  ...record
}: Omit<SeatRecord, 'lastUsedAt'> & {
  lastRequestAt: number | null;
  lastSessionEndsAt: number | null;
}): SeatRecord {
  const used = Math.max(lastRequestAt ?? 0, (lastSessionEndsAt ?? 0) - SEAT_SESSION_MS);
  return { ...record, lastUsedAt: used > 0 ? used : null };
}

function selectSeats(queries: Queries) {
  return queries
    .selectFrom('seats')
    .select(['rowId', 'clientRowId', 'id', 'name', 'role', 'mode', 'enabled', 'createdAt']);
}

function seatsOf(queries: Queries, clientRowId: number): Promise<StoredSeat[]> {
  return selectSeats(queries).where('clientRowId', '=', clientRowId).execute();
}

async function existing(queries: Queries, id: string): Promise<StoredSeat> {
  const seat = await selectSeats(queries).where('id', '=', id).executeTakeFirst();
  if (seat === undefined) throw unknownSeat(id);
  return seat;
}

function endsTokens(before: Seat, { role, mode }: SeatChange): boolean {
  return (before.role === 'buyer' && role === 'listener') || (mode ?? before.mode) !== before.mode;
}

async function renewSessions(queries: Queries, seatRowId: number): Promise<void> {
  const sessions = await queries
    .selectFrom('clientSessions')
    .select('rowId')
    .where('seatRowId', '=', seatRowId)
    .execute();
  for (const { rowId } of sessions) {
    await queries
      .updateTable('clientSessions')
      .set({ id: newId() })
      .where('rowId', '=', rowId)
      .execute();
  }
}

async function logSeat(
  { log }: WriteTransaction,
  id: string,
  kinds: readonly ChangeKind<'seat'>[],
  by: Actor,
): Promise<void> {
  await log(
    'seat',
    kinds.map((kind) => [kind, id] as const),
    { by, batchId: null },
  );
}
