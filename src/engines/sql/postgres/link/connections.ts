import pg from 'pg';
import { abandon, CONNECT_MS, clientConfig, nameOf } from './connection.ts';
import { SilentConnections } from './silent-connections.ts';
import type { DatabaseOptions } from './transaction.ts';

/** How long a close waits for open work, which may wait for a lock. A service has a second left after its drain. */
const CLOSE_MS = 500;

/** The options of Connections. */
export interface ConnectionsOptions extends DatabaseOptions {
  /** Called when bytes arrived on a connection that waits for a result. */
  onHeard: () => void;
  /** Called when a connection failed that was not in use. */
  onFault: (error: Error) => void;
}

/** The connections to one database: a pool, from which lost connections are removed. */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** All open connections, and when they were opened, by performance.now(). */
  readonly #clients = new Map<pg.PoolClient, number>();
  /** The open connections that are in use. */
  readonly #lent = new Set<pg.PoolClient>();
  readonly #silence: SilentConnections;
  #pool: pg.Pool;

  constructor(options: ConnectionsOptions) {
    const { url, wiring, onHeard } = options;
    this.#options = options;
    this.#pool = this.#newPool();
    this.#silence = new SilentConnections({
      url,
      wiring,
      onHeard,
      onLost: (lost) => this.#replace(lost),
    });
  }

  /** The number of open connections, and the number of calls that wait for one. */
  get poolUsage(): { open: number; waiting: number } {
    return { open: this.#pool.totalCount, waiting: this.#pool.waitingCount };
  }

  /** Takes a connection from the pool; rejects after a second. The caller must release it. */
  take(): Promise<pg.PoolClient> {
    return this.#pool.connect();
  }

  /** Waits for the result of a statement; rejects if the connection is lost. */
  during<T>(client: pg.PoolClient, sql: string, result: Promise<T>): Promise<T> {
    return this.#silence.during(client, sql, result);
  }

  /**
   * Replaces all connections after an outage: their server may be stuck, or no longer the one at this
   * address.
   */
  renew(): void {
    const old = this.#pool;
    this.#pool = this.#newPool();
    void old.end().catch(() => {});
    this.abandonAll();
  }

  abandonAll(): void {
    for (const client of this.#clients.keys()) abandon(client);
    this.#clients.clear();
  }

  /** Waits for the open work. After CLOSE_MS, its connections are ended, so that the server rolls it back. */
  async close(): Promise<void> {
    const giveUp = setTimeout(() => this.abandonAll(), CLOSE_MS);
    const pool = this.#pool;
    if (!pool.ending) await pool.end();
    if (!this.#pool.ending) await this.#pool.end();
    clearTimeout(giveUp);
    this.#silence.stop();
  }

  #newPool(): pg.Pool {
    const { url, wiring, pool: max, onFault } = this.#options;
    const pool = new pg.Pool({
      ...clientConfig(url, wiring),
      max,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
    });
    // For errors of idle connections. A connection in use rejects its statement instead.
    pool.on('error', onFault);
    pool.on('connect', (client) => {
      // A connection in use rejects its statement. Without a listener, the event would end the process.
      client.on('error', () => {});
      this.#clients.set(client, performance.now());
    });
    pool.on('acquire', (client) => {
      this.#lent.add(client);
    });
    pool.on('release', (_, client) => {
      this.#lent.delete(client);
    });
    pool.on('remove', (client) => {
      this.#clients.delete(client);
    });
    return pool;
  }

  /** Abandons lost connections and all idle ones, which were probably lost for the same reason. */
  #replace(lost: readonly pg.PoolClient[]): void {
    const idle = [...this.#clients.keys()].filter((client) => !this.#lent.has(client));
    const { log, url } = this.#options;
    log.warn(
      { database: nameOf(url), lost: lost.length, idle: idle.length },
      'connections to the database have gone silent, and are replaced',
    );
    const abandoned = [...lost, ...idle].map((client) => ({
      client,
      openedAt: this.#clients.get(client)!,
    }));
    for (const { client } of abandoned) abandon(client);
    // If this fails, the timeouts of the server end these sessions.
    this.#silence.endOnServer(abandoned).catch(() => {});
  }
}
