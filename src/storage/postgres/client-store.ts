import {
  type Client,
  type ClientSecret,
  type Feature,
  MAX_LIVE_SECRETS,
  type Scope,
} from '../../access/client.ts';
import type { ClientStore } from '../../access/store.ts';
import type { ChangeKind } from '../../changes/change-log.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database, Transaction, Value } from './database.ts';

type Rows = Transaction['rows'];

interface ClientRow {
  no: number;
  id: string;
  name: string;
  scopes: string;
  features: string;
  rateLimit: number | null;
  enabled: boolean;
  createdAt: number;
}

const SELECT = `
  SELECT no, id, name, scopes, features, rate_limit AS "rateLimit", enabled,
         created_at AS "createdAt"
  FROM clients`;

/** Clients on PostgreSQL. */
export class PostgresClientStore implements ClientStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(clock);
  }

  async create(client: Client, by: Actor): Promise<void> {
    await this.#database.write(async (tx) => {
      if ((await numberOf(tx, client.id)) !== undefined) {
        throw new StaveError('conflict', `There is a client ${client.id} already.`);
      }
      const sql = `
        INSERT INTO clients (id, name, scopes, features, rate_limit, enabled, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING no`;
      const [row] = await tx.rows<{ no: number }>(sql, [
        client.id,
        client.name,
        JSON.stringify(client.scopes),
        JSON.stringify(client.features),
        client.rateLimit,
        client.enabled,
        client.createdAt,
      ]);
      await this.#log(tx, 'created', client.id, by);
      for (const secret of client.secrets) await insertSecret(tx, row!.no, secret);
      for (const id of client.playlistIds) await this.#grant(tx, row!.no, id, by);
    });
  }

  all(): Promise<Client[]> {
    return this.#database.view((tx) => clients(tx.rows, `${SELECT} ORDER BY created_at, id`));
  }

  get(id: string): Promise<Client | undefined> {
    return this.#database.view((tx) => client(tx.rows, id));
  }

  update(
    id: string,
    change: Partial<Pick<Client, 'name' | 'scopes' | 'features' | 'rateLimit' | 'enabled'>>,
    by: Actor,
  ): Promise<Client> {
    return this.#database.write(async (tx) => {
      const before = (await client(tx.rows, id)) ?? missing(id);
      const after = { ...before, ...change };
      const sql = `
        UPDATE clients SET name = $1, scopes = $2, features = $3, rate_limit = $4, enabled = $5
        WHERE id = $6`;
      await tx.run(sql, [
        after.name,
        JSON.stringify(after.scopes),
        JSON.stringify(after.features),
        after.rateLimit,
        after.enabled,
        id,
      ]);
      if (editable(before) !== editable(after)) await this.#log(tx, 'updated', id, by);
      if (before.enabled !== after.enabled) {
        await this.#log(tx, after.enabled ? 'enabled' : 'disabled', id, by);
      }
      return after;
    });
  }

  async addSecret(id: string, secret: ClientSecret, by: Actor): Promise<void> {
    await this.#database.write(async (tx) => {
      await insertSecret(tx, (await numberOf(tx, id)) ?? missing(id), secret);
      await this.#log(tx, 'secret_added', id, by);
    });
  }

  revokeSecret(id: string, secretId: string, by: Actor): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const no = (await numberOf(tx, id)) ?? missing(id);
      const [secret] = await tx.rows<{ revoked_at: number | null }>(
        'SELECT revoked_at FROM client_secrets WHERE id = $1 AND client_no = $2',
        [secretId, no],
      );
      if (secret === undefined) {
        throw new StaveError('not_found', `The client ${id} has no secret ${secretId}.`);
      }
      if (secret.revoked_at !== null) return false;
      await tx.run('UPDATE client_secrets SET revoked_at = $1 WHERE id = $2', [
        this.#clock.now(),
        secretId,
      ]);
      await this.#log(tx, 'secret_revoked', id, by);
      return true;
    });
  }

  delete(id: string, by: Actor): Promise<boolean> {
    return this.#database.write(async (tx) => {
      if ((await tx.run('DELETE FROM clients WHERE id = $1', [id])) === 0) return false;
      await this.#log(tx, 'deleted', id, by);
      return true;
    });
  }

  async #grant(tx: Transaction, clientNo: number, playlistId: string, by: Actor): Promise<void> {
    const granted = await tx.run(
      'INSERT INTO playlist_grants SELECT no, $1::bigint FROM playlists WHERE id = $2',
      [clientNo, playlistId],
    );
    if (granted === 0) throw new StaveError('not_found', `There is no playlist ${playlistId}.`);
    await this.#changes.append(tx, 'playlist', 'granted', playlistId, causeOf(by));
  }

  #log(tx: Transaction, kind: ChangeKind<'client'>, id: string, by: Actor): Promise<void> {
    return this.#changes.append(tx, 'client', kind, id, causeOf(by));
  }
}

/** The number of a client by its id, for those who refer to it. */
export async function numberOf(tx: Transaction, id: string): Promise<number | undefined> {
  const [row] = await tx.rows<{ no: number }>('SELECT no FROM clients WHERE id = $1', [id]);
  return row?.no;
}

async function client(rows: Rows, id: string): Promise<Client | undefined> {
  return (await clients(rows, `${SELECT} WHERE id = $1`, [id]))[0];
}

async function clients(rows: Rows, sql: string, values: readonly Value[] = []): Promise<Client[]> {
  const found = await rows<ClientRow>(sql, values);
  const numbers = found.map(({ no }) => no);
  const secrets = await rows<ClientSecret & { client_no: number }>(
    `SELECT client_no, id, mode, hash, created_at AS "createdAt", revoked_at AS "revokedAt"
     FROM client_secrets WHERE client_no = ANY($1::bigint[]) ORDER BY created_at, no`,
    [numbers],
  );
  const grants = await rows<{ client_no: number; id: string }>(
    `SELECT client_no, id FROM playlist_grants JOIN playlists ON no = playlist_no
     WHERE client_no = ANY($1::bigint[]) ORDER BY playlist_no`,
    [numbers],
  );
  const secretsOf = Map.groupBy(secrets, (secret) => secret.client_no);
  const grantsOf = Map.groupBy(grants, (grant) => grant.client_no);
  return found.map(({ no, ...row }) => ({
    ...row,
    scopes: JSON.parse(row.scopes) as Scope[],
    features: JSON.parse(row.features) as Feature[],
    secrets: (secretsOf.get(no) ?? []).map(({ client_no: _, ...secret }) => secret),
    playlistIds: (grantsOf.get(no) ?? []).map(({ id }) => id),
  }));
}

async function insertSecret(tx: Transaction, clientNo: number, secret: ClientSecret) {
  const [row] = await tx.rows<{ live: number }>(
    `SELECT count(*) AS live FROM client_secrets
     WHERE client_no = $1 AND mode = $2 AND revoked_at IS NULL`,
    [clientNo, secret.mode],
  );
  if (secret.revokedAt === null && row!.live >= MAX_LIVE_SECRETS) {
    throw new StaveError(
      'conflict',
      `The client has ${MAX_LIVE_SECRETS} live ${secret.mode} secrets already: revoke one first.`,
    );
  }
  await tx.run(
    `INSERT INTO client_secrets (id, client_no, mode, hash, created_at, revoked_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [secret.id, clientNo, secret.mode, secret.hash, secret.createdAt, secret.revokedAt],
  );
}

function causeOf(by: Actor): Cause {
  return { by, batchId: null };
}

function editable({ name, scopes, features, rateLimit }: Client): string {
  return JSON.stringify([name, scopes, features, rateLimit]);
}

function missing(id: string): never {
  throw new StaveError('not_found', `There is no client ${id}.`);
}
