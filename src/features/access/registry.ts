import type { Feature, Mode, Scope } from '../../common/caller.ts';
import type { Change, ChangeEntity, ChangeLog } from '../../engines/change-log/change-log.ts';
import { type Client, DEFAULT_RATE_LIMIT } from './client.ts';
import type { ClientSession, Seat } from './seat.ts';
import type { ClientSessionStore } from './store/client-session-store.ts';
import type { ClientStore } from './store/client-store.ts';
import type { SeatStore } from './store/seat-store.ts';

/** The registry and the key ring follow the changes of these. */
export const ACCESS_ENTITIES: readonly ChangeEntity[] = ['client', 'seat', 'key'];

const LOG_SLICE = 1000;

interface LiveSecret {
  id: string;
  mode: Mode;
  /** The SHA-256 of the secret, 32 bytes. */
  hash: Buffer;
}

/**
 * A client as requests need it. A change makes a new object, so values derived from an object are valid while `find`
 * returns the same one.
 */
export interface RegisteredClient {
  id: string;
  name: string;
  enabled: boolean;
  scopes: ReadonlySet<Scope>;
  features: ReadonlySet<Feature>;
  /** Requests per minute. */
  rateLimit: number;
  /** Null for an account of its own. */
  account: string | null;
  /** The name of its rate card; null for the standard one. */
  rateCard: string | null;
  liveSecrets: ReadonlyMap<string, LiveSecret>;
  /** The ids of all secrets, also of revoked ones, by their hashes in hex digits. */
  secretIds: ReadonlyMap<string, string>;
  /** The enabled seats, by id. */
  seats: ReadonlyMap<string, Seat>;
  /** By id. Those that have expired may be among them. */
  sessions: ReadonlyMap<string, ClientSession>;
  /** The `seq` at which the client was last disabled, 0 for never. Tokens that were issued before are invalid. */
  lastDisabledSeq: number;
  /**
   * The time at which it was last disabled, in milliseconds since the epoch, 0 for never. URLs that were
   * issued before are invalid.
   */
  lastDisabledAt: number;
}

/**
 * All clients in memory. Look-ups are synchronous. On every node, the follower of the change log keeps the
 * registry at most a second behind the store.
 */
export class ClientRegistry {
  readonly #clients: ClientStore;
  readonly #seats: SeatStore;
  readonly #sessions: ClientSessionStore;
  readonly #changes: Pick<ChangeLog, 'since'>;
  readonly #byId = new Map<string, RegisteredClient>();
  /** The ids of clients, by those of their enabled seats. */
  readonly #clientOfSeat = new Map<string, string>();
  /** By the hashes of their cookies. */
  readonly #bySession = new Map<string, { clientId: string; session: ClientSession }>();
  readonly #lastDisabled = new Map<string, { seq: number; at: number }>();
  #version = 0;

  constructor(deps: {
    clients: ClientStore;
    seats: SeatStore;
    clientSessions: ClientSessionStore;
    changes: Pick<ChangeLog, 'since'>;
  }) {
    this.#clients = deps.clients;
    this.#seats = deps.seats;
    this.#sessions = deps.clientSessions;
    this.#changes = deps.changes;
  }

  /**
   * Loads all clients. Read the head of the log before, and follow the log from there. A change in between is applied
   * twice then, which does no harm.
   */
  async load(): Promise<void> {
    let seq = 0;
    let slice: Change[];
    do {
      slice = await this.#changes.since(seq, ['client'], LOG_SLICE);
      this.#noteDisabled(slice);
      seq = slice.at(-1)?.seq ?? seq;
    } while (slice.length === LOG_SLICE);
    // The sessions first: if a role is lowered in between, it must not be read before, and the new ids after.
    const sessions = Map.groupBy(await this.#sessions.all(), ({ clientId }) => clientId);
    const seats = Map.groupBy(await this.#seats.enabled(), ({ clientId }) => clientId);
    for (const client of await this.#clients.all()) {
      this.#put(client, seats.get(client.id) ?? [], sessions.get(client.id) ?? []);
    }
  }

  /** Reloads the clients that changed. It may be repeated with the same changes. */
  async apply(changes: readonly Change[]): Promise<void> {
    this.#noteDisabled(changes);
    const touched = new Set<string>();
    for (const { entity, entityId } of changes) {
      if (entity === 'client') touched.add(entityId);
      if (entity !== 'seat') continue;
      const clientId = this.#clientOfSeat.get(entityId) ?? (await this.#seats.clientOf(entityId));
      if (clientId !== undefined) touched.add(clientId);
    }
    for (const id of touched) {
      const client = await this.#clients.get(id);
      if (client === undefined) {
        this.#forget(id);
        this.#lastDisabled.delete(id);
      } else {
        const sessions = await this.#sessions.all(id);
        this.#put(client, await this.#seats.enabled(id), sessions);
      }
      this.#version++;
    }
  }

  /** The client and the session of a cookie, by its hash; also an expired session. */
  findSession(hash: string): { client: RegisteredClient; session: ClientSession } | undefined {
    const found = this.#bySession.get(hash);
    const client = found && this.#byId.get(found.clientId);
    return client && { client, session: found!.session };
  }

  /** Rises whenever a client may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Also finds disabled clients. */
  find(id: string): RegisteredClient | undefined {
    return this.#byId.get(id);
  }

  /** Whether the feature is on for any enabled client. */
  hasFeature(feature: Feature): boolean {
    for (const { enabled, features } of this.#byId.values()) {
      if (enabled && features.has(feature)) return true;
    }
    return false;
  }

  /**
   * Whether a URL of a client is still valid: the client is enabled, and was not disabled since the URL was
   * issued. The time of issue is rounded up, so a URL from the last seconds before may pass.
   */
  acceptsUrl(clientId: string, issuedAt: number): boolean {
    const client = this.#byId.get(clientId);
    return client?.enabled === true && issuedAt > client.lastDisabledAt;
  }

  #noteDisabled(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.entity === 'client' && change.kind === 'disabled') {
        this.#lastDisabled.set(change.entityId, { seq: change.seq, at: change.at });
      }
    }
  }

  #forget(clientId: string): void {
    const known = this.#byId.get(clientId);
    for (const { hash } of known?.sessions.values() ?? []) this.#bySession.delete(hash);
    for (const seatId of known?.seats.keys() ?? []) this.#clientOfSeat.delete(seatId);
    this.#byId.delete(clientId);
  }

  #put(client: Client, seats: readonly Seat[], sessions: readonly ClientSession[]): void {
    this.#forget(client.id);
    for (const { id } of seats) this.#clientOfSeat.set(id, client.id);
    for (const session of sessions) {
      this.#bySession.set(session.hash, { clientId: client.id, session });
    }
    this.#byId.set(client.id, {
      id: client.id,
      name: client.name,
      enabled: client.enabled,
      scopes: new Set(client.scopes),
      features: new Set(client.features),
      rateLimit: client.rateLimit ?? DEFAULT_RATE_LIMIT,
      account: client.account,
      rateCard: client.rateCard,
      liveSecrets: new Map(
        client.secrets
          .filter((secret) => secret.revokedAt === null)
          .map(({ id, mode, hash }) => [id, { id, mode, hash: Buffer.from(hash, 'hex') }]),
      ),
      secretIds: new Map(client.secrets.map(({ id, hash }) => [hash, id])),
      seats: new Map(seats.map((seat) => [seat.id, seat])),
      sessions: new Map(sessions.map((session) => [session.id, session])),
      lastDisabledSeq: this.#lastDisabled.get(client.id)?.seq ?? 0,
      lastDisabledAt: this.#lastDisabled.get(client.id)?.at ?? 0,
    });
  }
}
