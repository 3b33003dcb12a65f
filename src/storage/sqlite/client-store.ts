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
import type { Database } from './database.ts';

interface ClientRow {
  no: number;
  id: string;
  name: string;
  scopes: string;
  features: string;
  rateLimit: number | null;
  enabled: number;
  createdAt: number;
}

const SELECT = `
  SELECT no, id, name, scopes, features, rate_limit AS rateLimit, enabled, created_at AS createdAt
  FROM clients`;

/** Clients on SQLite. */
export class SqliteClientStore implements ClientStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(database, clock);
  }

  async create(client: Client, by: Actor): Promise<void> {
    await this.#database.write(() => {
      if (this.#row(client.id) !== undefined) {
        throw new StaveError('conflict', `There is a client ${client.id} already.`);
      }
      const sql = `
        INSERT INTO clients (id, name, scopes, features, rate_limit, enabled, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`;
      const { lastInsertRowid } = this.#database
        .prepare(sql)
        .run(
          client.id,
          client.name,
          JSON.stringify(client.scopes),
          JSON.stringify(client.features),
          client.rateLimit,
          client.enabled ? 1 : 0,
          client.createdAt,
        );
      const clientNo = Number(lastInsertRowid);
      this.#log('created', client.id, by);
      for (const secret of client.secrets) this.#insertSecret(clientNo, secret);
      for (const playlistId of client.playlistIds) this.#grant(clientNo, playlistId, by);
    });
  }

  all(): Promise<Client[]> {
    return this.#database.view(() => this.#clients(`${SELECT} ORDER BY created_at, id`));
  }

  get(id: string): Promise<Client | undefined> {
    return this.#database.view(() => this.#client(id));
  }

  update(
    id: string,
    change: Partial<Pick<Client, 'name' | 'scopes' | 'features' | 'rateLimit' | 'enabled'>>,
    by: Actor,
  ): Promise<Client> {
    return this.#database.write(() => {
      const before = this.#client(id) ?? missing(id);
      const after = { ...before, ...change };
      const sql = `
        UPDATE clients SET name = ?, scopes = ?, features = ?, rate_limit = ?, enabled = ?
        WHERE id = ?`;
      this.#database
        .prepare(sql)
        .run(
          after.name,
          JSON.stringify(after.scopes),
          JSON.stringify(after.features),
          after.rateLimit,
          after.enabled ? 1 : 0,
          id,
        );
      if (editable(before) !== editable(after)) this.#log('updated', id, by);
      if (before.enabled !== after.enabled)
        this.#log(after.enabled ? 'enabled' : 'disabled', id, by);
      return after;
    });
  }

  async addSecret(id: string, secret: ClientSecret, by: Actor): Promise<void> {
    await this.#database.write(() => {
      const { no } = this.#row(id) ?? missing(id);
      this.#insertSecret(no, secret);
      this.#log('secret_added', id, by);
    });
  }

  revokeSecret(id: string, secretId: string, by: Actor): Promise<boolean> {
    return this.#database.write(() => {
      const { no } = this.#row(id) ?? missing(id);
      const secret = this.#database
        .prepare('SELECT revoked_at FROM client_secrets WHERE id = ? AND client_no = ?')
        .get(secretId, no);
      if (secret === undefined) {
        throw new StaveError('not_found', `The client ${id} has no secret ${secretId}.`);
      }
      if (secret.revoked_at !== null) return false;
      this.#database
        .prepare('UPDATE client_secrets SET revoked_at = ? WHERE id = ?')
        .run(this.#clock.now(), secretId);
      this.#log('secret_revoked', id, by);
      return true;
    });
  }

  delete(id: string, by: Actor): Promise<boolean> {
    return this.#database.write(() => {
      const { changes } = this.#database.prepare('DELETE FROM clients WHERE id = ?').run(id);
      if (changes === 0) return false;
      this.#log('deleted', id, by);
      return true;
    });
  }

  #row(id: string): { no: number } | undefined {
    const row = this.#database.prepare('SELECT no FROM clients WHERE id = ?').get(id);
    return row as { no: number } | undefined;
  }

  #client(id: string): Client | undefined {
    return this.#clients(`${SELECT} WHERE id = ?`, id)[0];
  }

  #clients(sql: string, ...parameters: string[]): Client[] {
    const rows = this.#database.prepare(sql).all(...parameters) as unknown as ClientRow[];
    const secrets = this.#database.prepare(`
      SELECT id, mode, hash, created_at AS createdAt, revoked_at AS revokedAt
      FROM client_secrets WHERE client_no = ? ORDER BY created_at, no`);
    const grants = this.#database.prepare(`
      SELECT id FROM playlist_grants JOIN playlists ON no = playlist_no
      WHERE client_no = ? ORDER BY playlist_no`);
    return rows.map(({ no, ...row }) => ({
      ...row,
      scopes: JSON.parse(row.scopes) as Scope[],
      features: JSON.parse(row.features) as Feature[],
      enabled: row.enabled === 1,
      secrets: secrets.all(no).map((secret) => ({ ...secret }) as unknown as ClientSecret),
      playlistIds: grants.all(no).map((grant) => grant.id as string),
    }));
  }

  #insertSecret(clientNo: number, secret: ClientSecret): void {
    const sql = `
      SELECT count(*) AS live FROM client_secrets
      WHERE client_no = ? AND mode = ? AND revoked_at IS NULL`;
    const { live } = this.#database.prepare(sql).get(clientNo, secret.mode) as { live: number };
    if (secret.revokedAt === null && live >= MAX_LIVE_SECRETS) {
      throw new StaveError(
        'conflict',
        `The client has ${MAX_LIVE_SECRETS} live ${secret.mode} secrets already: revoke one first.`,
      );
    }
    this.#database
      .prepare(`
        INSERT INTO client_secrets (id, client_no, mode, hash, created_at, revoked_at)
        VALUES (?, ?, ?, ?, ?, ?)`)
      .run(secret.id, clientNo, secret.mode, secret.hash, secret.createdAt, secret.revokedAt);
  }

  #grant(clientNo: number, playlistId: string, by: Actor): void {
    const { changes } = this.#database
      .prepare('INSERT INTO playlist_grants SELECT no, ? FROM playlists WHERE id = ?')
      .run(clientNo, playlistId);
    if (changes === 0) throw new StaveError('not_found', `There is no playlist ${playlistId}.`);
    this.#changes.append('playlist', 'granted', playlistId, causeOf(by));
  }

  #log(kind: ChangeKind<'client'>, id: string, by: Actor): void {
    this.#changes.append('client', kind, id, causeOf(by));
  }
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
