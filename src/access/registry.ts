import type { PlaylistStore } from '../catalog/store.ts';
import type { Change, ChangeEntity, ChangeLog } from '../changes/change-log.ts';
import { type Client, DEFAULT_RATE_LIMIT, type Feature, type Mode, type Scope } from './client.ts';
import type { ClientStore } from './store.ts';

/** The entities whose changes the registry and the key ring must be given. */
export const ACCESS_ENTITIES: readonly ChangeEntity[] = ['client', 'playlist', 'key'];

const LOG_SLICE = 1000;

/** A secret that still lets its client in. */
export interface LiveSecret {
  id: string;
  mode: Mode;
  /** SHA-256 of the secret, 32 bytes. */
  hash: Buffer;
}

/**
 * A client as requests see it. Never changed in place: a change makes a new object, so what was
 * concluded from one holds for as long as `find` still returns the same.
 */
export interface RegisteredClient {
  id: string;
  name: string;
  enabled: boolean;
  scopes: ReadonlySet<Scope>;
  features: ReadonlySet<Feature>;
  /** Requests a minute. */
  rateLimit: number;
  playlistIds: ReadonlySet<string>;
  liveSecrets: ReadonlyMap<string, LiveSecret>;
  /** The seq at which it was last disabled, 0 for never: tokens that were issued before are over. */
  lastDisabledSeq: number;
  /** When that was, in milliseconds since the epoch, 0 for never: URLs issued before are over too. */
  lastDisabledAt: number;
}

/**
 * All clients, in memory. Look-ups are synchronous; the follower of the change log keeps it no more
 * than a second behind the store, on every node.
 */
export class ClientRegistry {
  readonly #clients: ClientStore;
  readonly #playlists: Pick<PlaylistStore, 'grantsOf'>;
  readonly #changes: Pick<ChangeLog, 'since'>;
  readonly #byId = new Map<string, RegisteredClient>();
  readonly #lastDisabled = new Map<string, { seq: number; at: number }>();

  constructor(deps: {
    clients: ClientStore;
    playlists: Pick<PlaylistStore, 'grantsOf'>;
    changes: Pick<ChangeLog, 'since'>;
  }) {
    this.#clients = deps.clients;
    this.#playlists = deps.playlists;
    this.#changes = deps.changes;
  }

  /**
   * Loads every client. Read the log's head before this and follow from there: a change that comes
   * in between is then applied twice, which does no harm, and never missed.
   */
  async load(): Promise<void> {
    let seq = 0;
    let slice: Change[];
    do {
      slice = await this.#changes.since(seq, ['client'], LOG_SLICE);
      this.#noteDisabled(slice);
      seq = slice.at(-1)?.seq ?? seq;
    } while (slice.length === LOG_SLICE);
    for (const client of await this.#clients.all()) {
      this.#put(client);
    }
  }

  /** Reloads the clients that the changes concern; others may be among them. Safe to repeat. */
  async apply(changes: readonly Change[]): Promise<void> {
    this.#noteDisabled(changes);
    const touched = new Set<string>();
    for (const change of changes) {
      if (change.entity === 'client') {
        touched.add(change.entityId);
      } else if (change.entity === 'playlist') {
        await this.#addHolders(change, touched);
      }
    }
    for (const id of touched) {
      const client = await this.#clients.get(id);
      if (client === undefined) {
        this.#byId.delete(id);
        this.#lastDisabled.delete(id);
      } else {
        this.#put(client);
      }
    }
  }

  /** The client of that id, disabled ones included. */
  find(id: string): RegisteredClient | undefined {
    return this.#byId.get(id);
  }

  /**
   * Whether a URL of that client still holds: the client is enabled, and was not disabled since the
   * URL's time of issue. That time is rounded up, so one from the last seconds before may pass.
   */
  honoursUrl(clientId: string, issuedAt: number): boolean {
    const client = this.#byId.get(clientId);
    return client?.enabled === true && issuedAt > client.lastDisabledAt;
  }

  /** Those who had the playlist and those who have it now: the log does not say whose grant changed. */
  async #addHolders(change: Change, touched: Set<string>): Promise<void> {
    if (!['granted', 'revoked', 'deleted'].includes(change.kind)) {
      return;
    }
    for (const client of this.#byId.values()) {
      if (client.playlistIds.has(change.entityId)) {
        touched.add(client.id);
      }
    }
    if (change.kind !== 'deleted') {
      for (const id of await this.#playlists.grantsOf(change.entityId)) {
        touched.add(id);
      }
    }
  }

  #noteDisabled(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.entity === 'client' && change.kind === 'disabled') {
        this.#lastDisabled.set(change.entityId, { seq: change.seq, at: change.at });
      }
    }
  }

  #put(client: Client): void {
    this.#byId.set(client.id, {
      id: client.id,
      name: client.name,
      enabled: client.enabled,
      scopes: new Set(client.scopes),
      features: new Set(client.features),
      rateLimit: client.rateLimit ?? DEFAULT_RATE_LIMIT,
      playlistIds: new Set(client.playlistIds),
      liveSecrets: new Map(
        client.secrets
          .filter((secret) => secret.revokedAt === null)
          .map(({ id, mode, hash }) => [id, { id, mode, hash: Buffer.from(hash, 'hex') }]),
      ),
      lastDisabledSeq: this.#lastDisabled.get(client.id)?.seq ?? 0,
      lastDisabledAt: this.#lastDisabled.get(client.id)?.at ?? 0,
    });
  }
}
