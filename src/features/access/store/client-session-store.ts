import type { Actor } from '../../../common/caller.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { type ClientSession, MAX_SESSIONS, SEAT_SESSION_MS, type Seat } from '../seat.ts';

/** What the holder of a sign-in link may know before its use. */
export interface LinkedSeat extends Pick<Seat, 'id' | 'name'> {
  clientName: string;
}

type Holder = { seatRowId: number } | { secretRowId: number };

/** The sessions of seats and secrets (docs/contract/authentication.md#sessions). Tokens and cookies are hashed. */
export class ClientSessionStore extends SqlStore {
  /** The seat of a link that may be used now; undefined for any other link. */
  linkedSeat(hash: string): Promise<LinkedSeat | undefined> {
    return this.#linked(this.database.queries, hash);
  }

  /**
   * Uses a link for a session. Of two uses at once, one succeeds: the other, and any other link, returns undefined. Ends
   * the oldest session of the seat if it would have more than MAX_SESSIONS.
   */
  useLink(hash: string, session: Omit<ClientSession, 'holderId'>): Promise<LinkedSeat | undefined> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const linked = await this.#linked(queries, hash);
      if (linked === undefined) return undefined;
      const { rowId, ...seat } = linked;
      await queries.deleteFrom('signInLinks').where('seatRowId', '=', rowId).execute();
      await this.#start(queries, { seatRowId: rowId }, session);
      await transaction.log('seat', [['signed_in', seat.id]], {
        by: `seat:${seat.id}`,
        batchId: null,
      });
      return seat;
    });
  }

  /** Begins a session of a secret. Returns false if the secret was revoked meanwhile. */
  startOfSecret(
    { clientId, secretId }: { clientId: string; secretId: string },
    session: Omit<ClientSession, 'holderId'>,
  ): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const secret = await queries
        .selectFrom('clientSecrets')
        .innerJoin('clients', 'clients.rowId', 'clientSecrets.clientRowId')
        .select('clientSecrets.rowId')
        .where('clientSecrets.id', '=', secretId)
        .where('clientSecrets.revokedAt', 'is', null)
        .where('clients.enabled', '=', true)
        .executeTakeFirst();
      if (secret === undefined) return false;
      await this.#start(queries, { secretRowId: secret.rowId }, session);
      const by = `client:${clientId}`;
      await transaction.log('client', [['signed_in', clientId]], { by, batchId: null });
      return true;
    });
  }

  /**
   * Records a use of a session, from which that of a seat lasts SEAT_SESSION_MS. Returns when the session ends, in
   * milliseconds since the epoch; undefined if it has ended.
   */
  use(id: string): Promise<number | undefined> {
    const now = this.clock.now();
    return this.database.apart(async (queries) => {
      const row = await queries
        .updateTable('clientSessions')
        .set(({ eb }) => ({
          expiresAt: eb
            .case()
            .when('seatRowId', 'is', null)
            .then(eb.ref('expiresAt'))
            .else(now + SEAT_SESSION_MS)
            .end(),
        }))
        .where('id', '=', id)
        .where('expiresAt', '>', now)
        .returning('expiresAt')
        .executeTakeFirst();
      return row?.expiresAt;
    });
  }

  /** Ends the session of a cookie, by its hash, if there is one. */
  end(hash: string, { clientId, seatId }: { clientId: string; seatId: string | undefined }) {
    return this.database.write(async (transaction) => {
      const { numDeletedRows } = await transaction.queries
        .deleteFrom('clientSessions')
        .where('hash', '=', hash)
        .executeTakeFirstOrThrow();
      if (numDeletedRows > 0n) await logSignOut(transaction, clientId, seatId);
    });
  }

  /** Ends all sessions and links. */
  async clear(by: Actor): Promise<void> {
    const sessions = await this.all();
    const holders = new Map(sessions.map((session) => [session.holderId, session.clientId]));
    await this.database.write(async ({ queries, log }) => {
      await queries.deleteFrom('clientSessions').execute();
      await queries.deleteFrom('signInLinks').execute();
      const seats = await queries.selectFrom('seats').select('id').execute();
      const ids = new Set(seats.map(({ id }) => id));
      const cause = { by, batchId: null };
      for (const [holderId, clientId] of holders) {
        if (ids.has(holderId)) await log('seat', [['sessions_ended', holderId]], cause);
        else await log('client', [['signed_out', clientId]], cause);
      }
    });
  }

  /** The sessions of all clients, or of one, with the ids of their clients. */
  async all(clientId?: string): Promise<(ClientSession & { clientId: string })[]> {
    const { queries } = this.database;
    const ofSeats = queries
      .selectFrom('clientSessions')
      .innerJoin('seats', 'seats.rowId', 'clientSessions.seatRowId')
      .innerJoin('clients', 'clients.rowId', 'seats.clientRowId')
      .select(['clientSessions.id', 'clientSessions.hash', 'clientSessions.expiresAt'])
      .select(['clients.id as clientId', 'seats.id as holderId']);
    const ofSecrets = queries
      .selectFrom('clientSessions')
      .innerJoin('clientSecrets', 'clientSecrets.rowId', 'clientSessions.secretRowId')
      .innerJoin('clients', 'clients.rowId', 'clientSecrets.clientRowId')
      .select(['clientSessions.id', 'clientSessions.hash', 'clientSessions.expiresAt'])
      .select(['clients.id as clientId', 'clientSecrets.id as holderId']);
    if (clientId === undefined)
      return [...(await ofSeats.execute()), ...(await ofSecrets.execute())];
    return [
      ...(await ofSeats.where('clients.id', '=', clientId).execute()),
      ...(await ofSecrets.where('clients.id', '=', clientId).execute()),
    ];
  }

  #linked(queries: Queries, hash: string) {
    return queries
      .selectFrom('signInLinks')
      .innerJoin('seats', 'seats.rowId', 'signInLinks.seatRowId')
      .innerJoin('clients', 'clients.rowId', 'seats.clientRowId')
      .select(['seats.rowId', 'seats.id', 'seats.name', 'clients.name as clientName'])
      .where('signInLinks.hash', '=', hash)
      .where('signInLinks.expiresAt', '>', this.clock.now())
      .where('seats.enabled', '=', true)
      .where('clients.enabled', '=', true)
      .executeTakeFirst();
  }

  async #start(
    queries: Queries,
    holder: Holder,
    { id, hash, expiresAt }: Omit<ClientSession, 'holderId'>,
  ): Promise<void> {
    const [column, rowId] =
      'seatRowId' in holder
        ? (['seatRowId', holder.seatRowId] as const)
        : (['secretRowId', holder.secretRowId] as const);
    const now = this.clock.now();
    await queries
      .deleteFrom('clientSessions')
      .where(column, '=', rowId)
      .where('expiresAt', '<=', now)
      .execute();
    const others = await queries
      .selectFrom('clientSessions')
      .select('rowId')
      .where(column, '=', rowId)
      .orderBy('createdAt')
      .orderBy('rowId')
      .execute();
    for (const oldest of others.slice(0, Math.max(0, others.length - MAX_SESSIONS + 1))) {
      await queries.deleteFrom('clientSessions').where('rowId', '=', oldest.rowId).execute();
    }
    await queries
      .insertInto('clientSessions')
      .values({
        seatRowId: null,
        secretRowId: null,
        ...holder,
        id,
        hash,
        createdAt: now,
        expiresAt,
      })
      .execute();
  }
}

async function logSignOut(
  { log }: WriteTransaction,
  clientId: string,
  seatId: string | undefined,
): Promise<void> {
  const cause = (by: Actor) => ({ by, batchId: null });
  if (seatId === undefined) {
    await log('client', [['signed_out', clientId]], cause(`client:${clientId}`));
  } else {
    await log('seat', [['signed_out', seatId]], cause(`seat:${seatId}`));
  }
}
