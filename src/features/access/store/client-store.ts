import type { Insertable } from 'kysely';
import type { Actor, Feature, Scope } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import type { ChangeKind } from '../../../engines/change-log/change-log.ts';
import type { Queries, SqlDatabase, WriteTransaction } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { Client, ClientChange, ClientSecret, NameRule } from '../client.ts';
import {
  changesBetween,
  clientExists,
  refuseExcessSecrets,
  refuseKnownNames,
  secretOf,
  unknownClient,
} from '../client-rules.ts';
import { insertClients } from './client-rows.ts';

/** A client with its row id. */
type StoredClient = Client & { rowId: number };

/** What belongs to clients in other stores, and follows their changes. */
export interface ClientFollowers {
  /** Grants a new client its playlists, in the transaction that creates it. */
  created(transaction: WriteTransaction, client: StoredClient, by: Actor): Promise<void>;
  /** Called before and after the terms of a client change. */
  settle(clientRowId: number): Promise<void>;
  /** Called in the transaction that changes them, after the change was logged. */
  changed(
    queries: Queries,
    terms: { clientRowId: number; before: Client; after: Client },
  ): Promise<void>;
  /** Called in the transaction that deletes a client, before it. Returns what is to be called when it is deleted. */
  deleting(transaction: WriteTransaction, id: string, by: Actor): Promise<() => Promise<void>>;
}

/** Clients and their secrets in the system of record. Unknown ids throw not_found. */
export class ClientStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #followers: ClientFollowers;

  constructor(database: SqlDatabase, clock: Clock, followers: ClientFollowers) {
    this.#database = database;
    this.#clock = clock;
    this.#followers = followers;
  }

  /** Stores a client with its secrets and grants. Throws conflict if the id is in use, or the name if it must be new. */
  create(client: Client, by: Actor, rule?: NameRule): Promise<void> {
    return this.#database.write(async (transaction) => {
      const { queries } = transaction;
      if (rule?.isNewName) await refuseNamesOf(queries, [client]);
      if ((await clientNumber(queries, client.id)) !== undefined) throw clientExists(client.id);
      refuseExcessSecrets(client.secrets);
      const { rowId } = await queries
        .insertInto('clients')
        .values({ id: client.id, createdAt: client.createdAt, ...columnsOf(client) })
        .returning('rowId')
        .executeTakeFirstOrThrow();
      await logChanges(transaction, ['created'], client.id, by);
      for (const secret of client.secrets) await insertSecret(queries, rowId, secret);
      await this.#followers.created(transaction, { ...client, rowId }, by);
    });
  }

  /**
   * Stores up to 500 new clients with their secrets, without grants, in one transaction. Their ids must be new. Throws
   * conflict if a name must be new and a stored client has it.
   */
  createAll(clients: readonly Client[], by: Actor, rule?: NameRule): Promise<void> {
    return this.#database.write(async ({ queries, log }) => {
      if (rule?.isNewName) await refuseNamesOf(queries, clients);
      for (const { secrets } of clients) refuseExcessSecrets(secrets);
      const rows = clients.map((client) => ({
        id: client.id,
        createdAt: client.createdAt,
        ...columnsOf(client),
      }));
      await insertClients(queries, this.#database.dialect, rows, clients);
      const created = clients.map(({ id }) => ['created', id] as const);
      await log('client', created, { by, batchId: null });
    });
  }

  /** All clients, ordered by creation and then by id. */
  all(): Promise<Client[]> {
    return this.#database.view(async (queries) =>
      (await this.#clients(queries)).map(withoutNumber),
    );
  }

  get(id: string): Promise<Client | undefined> {
    return this.#database.view(async (queries) => {
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
    const clientRowId = await clientNumber(this.#database.queries, id);
    if (clientRowId === undefined) throw unknownClient(id);
    // Messages of what was off must not be sent when it is on.
    await this.#followers.settle(clientRowId);
    const updated = await this.#database.write(async (transaction) => {
      const { rowId, ...before } = await this.#existing(transaction.queries, id);
      const after = { ...before, ...(typeof change === 'function' ? change(before) : change) };
      await transaction.queries
        .updateTable('clients')
        .set(columnsOf(after))
        .where('rowId', '=', rowId)
        .execute();
      await logChanges(transaction, changesBetween(before, after), id, by);
      await this.#followers.changed(transaction.queries, { clientRowId: rowId, before, after });
      return after;
    });
    await this.#followers.settle(clientRowId);
    return updated;
  }

  /**
   * Adds a secret. Throws conflict if the client has two live secrets in the mode; this is checked under the
   * write lock.
   */
  addSecret(id: string, secret: ClientSecret, by: Actor): Promise<void> {
    return this.#database.write(async (transaction) => {
      const { rowId, secrets } = await this.#existing(transaction.queries, id);
      refuseExcessSecrets([...secrets, secret]);
      await insertSecret(transaction.queries, rowId, secret);
      await logChanges(transaction, ['secret_added'], id, by);
    });
  }

  /** Revokes a secret. Returns false if it is revoked already. */
  revokeSecret(id: string, secretId: string, by: Actor): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      const secret = secretOf(await this.#existing(transaction.queries, id), secretId);
      if (secret.revokedAt !== null) return false;
      await transaction.queries
        .updateTable('clientSecrets')
        .set({ revokedAt: this.#clock.now() })
        .where('id', '=', secretId)
        .execute();
      await logChanges(transaction, ['secret_revoked'], id, by);
      return true;
    });
  }

  /** Deletes a client with its secrets, grants and collections. Returns false if there is none. */
  delete(id: string, by: Actor): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      const isDeleted = await this.#followers.deleting(transaction, id, by);
      const { numDeletedRows } = await transaction.queries
        .deleteFrom('clients')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await isDeleted();
      await logChanges(transaction, ['deleted'], id, by);
      return true;
    });
  }

  async #existing(queries: Queries, id: string): Promise<StoredClient> {
    const [client] = await this.#clients(queries, id);
    if (client === undefined) throw unknownClient(id);
    return client;
  }

  /** Returns all clients by age, or the one with this id. Uses three statements for any number of clients. */
  async #clients(queries: Queries, id?: string): Promise<StoredClient[]> {
    const { isOneOf } = this.#database.dialect;
    let select = queries
      .selectFrom('clients')
      .select(['rowId', 'id', 'name', 'scopes', 'features', 'rateLimit', 'account', 'rateCard'])
      .select(['enabled', 'createdAt'])
      .orderBy('createdAt')
      .orderBy('id');
    if (id !== undefined) select = select.where('id', '=', id);
    const clients = await select.execute();
    const numbers = clients.map(({ rowId }) => rowId);
    const secrets = await queries
      .selectFrom('clientSecrets')
      .select(['clientRowId', 'id', 'mode', 'hash', 'createdAt', 'revokedAt'])
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

/** Returns the row id of a client, for the tables that refer to it. */
export async function clientNumber(queries: Queries, id: string): Promise<number | undefined> {
  const row = await queries
    .selectFrom('clients')
    .select('rowId')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.rowId;
}

async function refuseNamesOf(queries: Queries, clients: readonly Client[]): Promise<void> {
  const existing = await queries.selectFrom('clients').select('name').orderBy('rowId').execute();
  refuseKnownNames(
    clients.map(({ name }) => name),
    existing.map(({ name }) => name),
  );
}

/** Returns the columns that an update may change. */
function columnsOf({ name, scopes, features, ...client }: Client) {
  return {
    name,
    scopes: JSON.stringify(scopes),
    features: JSON.stringify(features),
    rateLimit: client.rateLimit,
    account: client.account,
    rateCard: client.rateCard,
    enabled: client.enabled,
  } satisfies Partial<Insertable<Tables['clients']>>;
}

function withoutNumber({ rowId: _, ...client }: StoredClient): Client {
  return client;
}

async function insertSecret(
  queries: Queries,
  clientRowId: number,
  secret: ClientSecret,
): Promise<void> {
  await queries
    .insertInto('clientSecrets')
    .values({ ...secret, clientRowId })
    .execute();
}

function logChanges(
  { log }: WriteTransaction,
  kinds: readonly ChangeKind<'client'>[],
  id: string,
  by: Actor,
): Promise<void> {
  return log(
    'client',
    kinds.map((kind) => [kind, id] as const),
    { by, batchId: null },
  );
}
