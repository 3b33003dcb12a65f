import type { Insertable } from 'kysely';
import type { Actor, ClientMode, Feature, Scope } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import type { Queries, SqlDatabase, WriteTransaction } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import {
  type Client,
  type ClientChange,
  type ClientSecret,
  changesBetween,
  clientExists,
  type NameRule,
  refuseExcessSecrets,
  refuseKnownNames,
  refuseOneMore,
  secretOf,
  unknownClient,
} from '../client.ts';

/** The types of the columns. */
const CLIENT = {
  id: 'text',
  createdAt: 'integer',
  name: 'text',
  scopes: 'text',
  features: 'text',
  rateLimit: 'integer',
  account: 'text',
  rateCard: 'text',
  spendingLimit: 'integer',
  enabled: 'boolean',
} as const;
const SECRET = {
  clientId: 'text',
  id: 'text',
  mode: 'text',
  hash: 'text',
  createdAt: 'integer',
  revokedAt: 'integer',
} as const;
const SECRET_COLUMNS = ['id', 'mode', 'hash', 'createdAt', 'revokedAt'] as const;

type StoredClient = Client & { rowId: number };

/** How other stores follow changes of clients. */
export interface ClientFollowers {
  /** Called before and after the terms of a client change. */
  settle(clientRowId: number): Promise<void>;
  /** Called in the transaction that changes the terms, after the change is logged. */
  changed(
    transaction: WriteTransaction,
    change: { clientRowId: number; before: Client; after: Client; by: Actor },
  ): Promise<void>;
  /** Called in the transaction that deletes a client, before the deletion. The result is called after the deletion. */
  deleting(transaction: WriteTransaction, id: string, by: Actor): Promise<() => Promise<void>>;
}

/** Clients and their secrets. Unknown ids throw not_found. */
export class ClientStore extends SqlStore {
  readonly #followers: ClientFollowers;

  constructor(database: SqlDatabase, clock: Clock, followers: ClientFollowers) {
    super(database, clock);
    this.#followers = followers;
  }

  /** See `createAll`. */
  create(client: Client, by: Actor, rule?: NameRule): Promise<void> {
    return this.createAll([client], by, rule);
  }

  /**
   * Stores up to 500 new clients with their secrets, without grants, in one transaction. Throws conflict if an id is in
   * use, or if a name must be new and a stored client has it.
   */
  createAll(clients: readonly Client[], by: Actor, rule?: NameRule): Promise<void> {
    return this.database.write(async ({ queries, log }) => {
      if (rule?.isNewName) await refuseNamesOf(queries, clients);
      const { isOneOf } = this.database.dialect;
      const ids = clients.map(({ id }) => id);
      const known = await queries
        .selectFrom('clients')
        .select('id')
        .where(({ ref }) => isOneOf(ref('id'), ids))
        .executeTakeFirst();
      if (known !== undefined) throw clientExists(known.id);
      for (const { secrets } of clients) refuseExcessSecrets(secrets);
      await this.#insert(queries, clients);
      const created = ids.map((id) => ['created', id] as const);
      await log('client', created, { by, batchId: null });
    });
  }

  /** All clients, ordered by creation and then by id. */
  all(): Promise<Client[]> {
    return this.database.view(async (queries) => (await this.#clients(queries)).map(withoutNumber));
  }

  get(id: string): Promise<Client | undefined> {
    return this.database.view(async (queries) => {
      const [client] = await this.#clients(queries, id);
      return client && withoutNumber(client);
    });
  }

  /**
   * Updates a client. Logs `updated`, and `enabled` or `disabled`, for actual differences only.
   *
   * @param change the new members, or a function that returns them from the stored client. It is called under the
   * write lock, and again if the transaction is repeated.
   */
  async update(
    id: string,
    change: ClientChange | ((client: Client) => ClientChange),
    by: Actor,
  ): Promise<Client> {
    const clientRowId = await clientNumber(this.database.queries, id);
    // Messages of a feature that was off must not be sent when it is on.
    await this.#followers.settle(clientRowId);
    const updated = await this.database.write(async (transaction) => {
      const { rowId, ...before } = await this.#existing(transaction.queries, id);
      const after = { ...before, ...(typeof change === 'function' ? change(before) : change) };
      await transaction.queries
        .updateTable('clients')
        .set(columnsOf(after))
        .where('rowId', '=', rowId)
        .execute();
      if (before.enabled && !after.enabled) await endSignIns(transaction.queries, rowId);
      const changes = changesBetween(before, after).map((kind) => [kind, id] as const);
      await transaction.log('client', changes, { by, batchId: null });
      await this.#followers.changed(transaction, { clientRowId: rowId, before, after, by });
      return after;
    });
    await this.#followers.settle(clientRowId);
    return updated;
  }

  /**
   * Throws conflict if the client has MAX_LIVE_SECRETS in the mode, which is checked under the write lock.
   */
  addSecret(id: string, secret: ClientSecret, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const { rowId, secrets } = await this.#existing(transaction.queries, id);
      refuseExcessSecrets([...secrets, secret]);
      await transaction.queries
        .insertInto('clientSecrets')
        .values({ ...secret, clientRowId: rowId })
        .execute();
      await transaction.log('client', [['secret_added', id]], { by, batchId: null });
    });
  }

  /**
   * Revokes a secret, which ends its tokens within a second. Returns false if it is revoked already. It may be the last
   * secret of a mode, because a leaked secret must be revoked at once.
   */
  revokeSecret(id: string, secretId: string, by: Actor): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const secret = secretOf(await this.#existing(transaction.queries, id), secretId);
      if (secret.revokedAt !== null) return false;
      await transaction.queries
        .updateTable('clientSecrets')
        .set({ revokedAt: this.clock.now() })
        .where('id', '=', secretId)
        .execute();
      await transaction.queries
        .deleteFrom('clientSessions')
        .where('secretRowId', '=', ({ selectFrom }) =>
          selectFrom('clientSecrets').select('rowId').where('id', '=', secretId),
        )
        .execute();
      await transaction.log('client', [['secret_revoked', id]], { by, batchId: null });
      return true;
    });
  }

  /** Deletes a client with its secrets, grants and collections. Returns false if there is none. */
  delete(id: string, by: Actor): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const isDeleted = await this.#followers.deleting(transaction, id, by);
      const { numDeletedRows } = await transaction.queries
        .deleteFrom('clients')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await isDeleted();
      await transaction.log('client', [['deleted', id]], { by, batchId: null });
      return true;
    });
  }

  async #insert(queries: Queries, clients: readonly Client[]): Promise<void> {
    const { dialect } = this.database;
    const rows = clients.map((client) => ({
      ...{ id: client.id, createdAt: client.createdAt },
      ...columnsOf(client),
    }));
    const secrets = dialect.rows(
      'secret',
      SECRET,
      clients.flatMap(({ id: clientId, secrets: own }) =>
        own.map((secret) => ({ clientId, ...secret })),
      ),
    );
    await insertRows(queries, dialect, 'clients', CLIENT, rows).execute();
    await queries
      .insertInto('clientSecrets')
      .columns(['clientRowId', ...SECRET_COLUMNS])
      .expression(({ selectFrom }) =>
        selectFrom(secrets)
          .innerJoin('clients', 'clients.id', 'secret.clientId')
          .select('clients.rowId')
          .select(['secret.id', 'secret.mode', 'secret.hash', 'secret.createdAt'])
          .select('secret.revokedAt'),
      )
      .execute();
  }

  async #existing(queries: Queries, id: string): Promise<StoredClient> {
    const [client] = await this.#clients(queries, id);
    if (client === undefined) throw unknownClient(id);
    return client;
  }

  /** Returns all clients by age, or the one with this id. Always uses three statements. */
  async #clients(queries: Queries, id?: string): Promise<StoredClient[]> {
    const { isOneOf } = this.database.dialect;
    let select = queries
      .selectFrom('clients')
      .select(['rowId', 'id', 'name', 'scopes', 'features', 'rateLimit', 'account', 'rateCard'])
      .select(['spendingLimit', 'enabled', 'createdAt'])
      .orderBy('createdAt')
      .orderBy('id');
    if (id !== undefined) select = select.where('id', '=', id);
    const clients = await select.execute();
    const numbers = clients.map(({ rowId }) => rowId);
    const secrets = await queries
      .selectFrom('clientSecrets')
      .select(['clientRowId', ...SECRET_COLUMNS])
      .where(({ ref }) => isOneOf(ref('clientRowId'), numbers))
      .orderBy('createdAt')
      .orderBy('rowId')
      .execute();
    const grants = await queries
      .selectFrom('playlistGrants')
      .innerJoin('playlists', 'playlists.rowId', 'playlistGrants.playlistRowId')
      .select(['clientRowId', 'id'])
      .where(({ ref }) => isOneOf(ref('clientRowId'), numbers))
      .orderBy('playlistRowId')
      .execute();
    const secretsOf = Map.groupBy(secrets, ({ clientRowId }) => clientRowId);
    const grantsOf = Map.groupBy(grants, ({ clientRowId }) => clientRowId);
    return clients.map((client) => ({
      ...client,
      scopes: parseStored<Scope[]>(client.scopes),
      features: parseStored<Feature[]>(client.features),
      secrets: (secretsOf.get(client.rowId) ?? []).map(({ clientRowId: _, ...secret }) => secret),
      playlistIds: (grantsOf.get(client.rowId) ?? []).map((grant) => grant.id),
    }));
  }
}

/** Returns the row id of a client. Throws `not_found`. */
export async function clientNumber(queries: Queries, id: string): Promise<number> {
  const row = await queries
    .selectFrom('clients')
    .select('rowId')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw unknownClient(id);
  return row.rowId;
}

/** Returns the row id of a client that may own one more row of a table in its mode. Throws `conflict` otherwise. */
export async function ownerOfOneMore(
  queries: Queries,
  { clientId, mode }: ClientMode,
  table: 'webhooks' | 'collections',
  most: number,
): Promise<number> {
  const clientRowId = await clientNumber(queries, clientId);
  const { count } = await queries
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('clientRowId', '=', clientRowId)
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow();
  refuseOneMore(count, most, table);
  return clientRowId;
}

/** Ends the sessions and the sign-in links of a client. */
async function endSignIns(queries: Queries, clientRowId: number): Promise<void> {
  const seats = queries.selectFrom('seats').select('rowId').where('clientRowId', '=', clientRowId);
  const secrets = queries
    .selectFrom('clientSecrets')
    .select('rowId')
    .where('clientRowId', '=', clientRowId);
  await queries.deleteFrom('signInLinks').where('seatRowId', 'in', seats).execute();
  await queries.deleteFrom('clientSessions').where('seatRowId', 'in', seats).execute();
  await queries.deleteFrom('clientSessions').where('secretRowId', 'in', secrets).execute();
}

async function refuseNamesOf(queries: Queries, clients: readonly Client[]): Promise<void> {
  const existing = await queries.selectFrom('clients').select('name').orderBy('rowId').execute();
  refuseKnownNames(
    clients.map(({ name }) => name),
    existing.map(({ name }) => name),
  );
}

/** The columns that an update may change. */
function columnsOf({ name, scopes, features, ...client }: Client) {
  return {
    name,
    scopes: JSON.stringify(scopes),
    features: JSON.stringify(features),
    rateLimit: client.rateLimit,
    account: client.account,
    rateCard: client.rateCard,
    spendingLimit: client.spendingLimit,
    enabled: client.enabled,
  } satisfies Partial<Insertable<Tables['clients']>>;
}

function withoutNumber({ rowId: _, ...client }: StoredClient): Client {
  return client;
}
