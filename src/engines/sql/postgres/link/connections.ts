import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { nameOf } from './address.ts';
import { abandon, CONNECT_MS, type Wiring } from './connection.ts';
import type { DatabaseOptions } from './transaction.ts';

/** How long a close waits for open work, which may wait for a lock. A service has a second left after its drain. */
const CLOSE_MS = 500;

export interface ConnectionsOptions extends DatabaseOptions {
  config: pg.ClientConfig;
  /** Called when bytes arrived on a connection that waits for a result. */
  onHeard: () => void;
  /** Called when a connection failed that was not in use. */
  onFault: (error: Error) => void;
}

/** A pool of connections to one database, from which lost connections are removed. */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** All open connections, and when they were opened, by performance.now(). */
  readonly #clients = new Map<pg.PoolClient, number>();
  readonly #inUse = new Set<pg.PoolClient>();
  readonly #silence: SilentConnections;
  #pool: pg.Pool;

  constructor(options: ConnectionsOptions) {
    const { config, wiring, onHeard } = options;
    this.#options = options;
    this.#pool = this.#newPool();
    this.#silence = new SilentConnections({
      config,
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
    const { config, pool: max, onFault } = this.#options;
    const pool = new pg.Pool({
      ...config,
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
      this.#inUse.add(client);
    });
    pool.on('release', (_, client) => {
      this.#inUse.delete(client);
    });
    pool.on('remove', (client) => {
      this.#clients.delete(client);
    });
    return pool;
  }

  /** Abandons lost connections and all idle ones, which were probably lost for the same reason. */
  #replace(lost: readonly pg.PoolClient[]): void {
    const idle = [...this.#clients.keys()].filter((client) => !this.#inUse.has(client));
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

/** How often the connections in use are examined. */
const LOOK_MS = 250;
/**
 * After this many examinations without a byte in either direction, the server is asked. This takes 2 s, including
 * its response.
 */
const SILENT_LOOKS = 6;
/** The time limit of the question to the server. */
const ASK_MS = 1_000;
/**
 * The age of a connection may differ by this much between its two ends: more than connecting or asking takes.
 */
const AGE_MS = 2_000;
/** The number of characters that identify a statement; `track_activity_query_size` is at least 100. */
const STATEMENT_CHARACTERS = 80;

/** A statement that was sent, for the question to the server. */
interface Question {
  /** The process id of the backend; null behind PgBouncer, which shares backends. */
  pid: number | null;
  sql: string;
}

/** What a connection waits for, and how long no bytes have passed. */
interface Wait {
  client: pg.PoolClient;
  /** Statements that were sent or queued. The server executes the first one. */
  statements: string[];
  /** The total numbers of bytes at the last examination. */
  read: number;
  written: number;
  silentLooks: number;
  /** The last response of the server about the progress of the statement. */
  progress: string | undefined;
}

/** A connection, and when it was opened, by performance.now(). */
interface OpenConnection {
  client: pg.PoolClient;
  openedAt: number;
}

interface SilentConnectionsOptions {
  config: pg.ClientConfig;
  wiring: Wiring;
  onHeard: () => void;
  /** Called with connections that were lost while the server answers on others. */
  onLost: (clients: readonly pg.PoolClient[]) => void;
}

/**
 * Detects connections that were lost without notice, for example because a firewall forgot them. New
 * connections then work, and statements on the old ones never get a result. The duration of a statement
 * proves nothing, so after two seconds without data Stave asks the server, on a new connection, whether it
 * executes the statement. If it does not, the statement or its result was lost. If the server cannot be
 * asked, nothing is decided.
 */
export class SilentConnections {
  readonly #options: SilentConnectionsOptions;
  readonly #waits = new Map<pg.PoolClient, Wait>();
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(options: SilentConnectionsOptions) {
    this.#options = options;
  }

  /** Watches a statement that was sent on the connection, until its result arrives. */
  async during<T>(client: pg.PoolClient, sql: string, result: Promise<T>): Promise<T> {
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    let wait = this.#waits.get(client);
    if (wait === undefined) {
      wait = { client, statements: [], ...passed(client), silentLooks: 0, progress: undefined };
      this.#waits.set(client, wait);
    }
    wait.statements.push(sql);
    try {
      return await result;
    } finally {
      wait.statements.shift();
      wait.silentLooks = 0;
      if (wait.statements.length === 0) this.#waits.delete(client);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const silent: Wait[] = [];
    for (const wait of this.#waits.values()) {
      const { read, written } = passed(wait.client);
      if (read !== wait.read) this.#options.onHeard();
      const isSilent = read === wait.read && written === wait.written;
      Object.assign(wait, { read, written });
      wait.silentLooks = isSilent ? wait.silentLooks + 1 : 0;
      if (wait.silentLooks >= SILENT_LOOKS) silent.push(wait);
    }
    if (silent.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    void this.#ask(silent)
      // Availability decides whether the server is available.
      .catch(() => {})
      .finally(() => {
        this.#isAsking = false;
      });
  }

  async #ask(silent: readonly Wait[]): Promise<void> {
    const questions = silent.map((wait) => this.#questionOf(wait));
    const before = silent.map(({ client }) => passed(client));
    const progress = await this.#progressOf(questions);
    // Bytes that were in transit during the question arrive now.
    await sleep(LOOK_MS, undefined, { ref: false });
    const lost = silent.filter((wait, i) => {
      const last = wait.progress;
      const now = progress[i];
      wait.progress = now;
      // Asked again only after the next silence: many processes may wait for the lock of all writers.
      if (now === WORKING) wait.silentLooks = 0;
      const { read, written } = passed(wait.client);
      const isSilent = read === before[i]!.read && written === before[i]!.written;
      const isSame = isSilent && wait.statements[0] === questions[i]!.sql;
      return isSame && (now === undefined || (now !== WORKING && now === last));
    });
    if (lost.length === 0) return;
    for (const { client } of lost) this.#waits.delete(client);
    this.#options.onLost(lost.map(({ client }) => client));
  }

  #questionOf({ client, statements }: Wait): Question {
    return {
      pid: this.#options.wiring === 'direct' ? processIdOf(client) : null,
      sql: statements[0]!,
    };
  }

  /** Returns the progress of each statement on the server; undefined if the server does not execute it. */
  #progressOf(questions: readonly Question[]): Promise<(string | undefined)[]> {
    return this.#onNewConnection(async (client) => {
      const { rows } = await client.query(PROGRESS, [
        questions.map(({ pid }) => pid),
        questions.map(({ sql }) => sql.slice(0, STATEMENT_CHARACTERS)),
      ]);
      const byPlace = new Map(rows.map(({ place, progress }) => [place, progress as string]));
      return questions.map((_, i) => byPlace.get(i + 1));
    });
  }

  /**
   * Ends the sessions of lost connections on the server. They would keep their locks, and count as
   * connections.
   */
  async endOnServer(lost: readonly OpenConnection[]): Promise<void> {
    // PgBouncer ends its own sessions.
    if (this.#options.wiring !== 'direct') return;
    const pids = lost.map(({ client }) => processIdOf(client));
    const ages = lost.map(({ openedAt }) => performance.now() - openedAt);
    // The address may lead to another server by now, which uses the same process ids for other sessions.
    await this.#onNewConnection((client) =>
      client.query(
        `SELECT pg_terminate_backend(backend.pid)
         FROM unnest($1::int[], $2::float8[]) AS lost (pid, age)
         JOIN pg_stat_activity AS backend USING (pid)
         WHERE datname = current_database() AND usename = session_user
           AND abs(extract(epoch FROM clock_timestamp() - backend_start) * 1000 - age) < ${AGE_MS}`,
        [pids, ages],
      ),
    );
  }

  async #onNewConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { config, wiring } = this.#options;
    const client = new pg.Client({
      ...config,
      connectionTimeoutMillis: ASK_MS,
      query_timeout: ASK_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      // If the database sets a role for this user at each login, that role may not see the sessions of the
      // user.
      if (wiring === 'direct') await client.query('SET ROLE NONE');
      return await work(client);
    } finally {
      abandon(client);
    }
  }
}

const WORKING = 'working';

/**
 * A backend whose state is not visible counts as working. A backend that waits for its client does not
 * work, unless the client sends data by COPY: then the number of copied bytes is its progress.
 */
const PROGRESS = `
  SELECT asked.place::int, max(CASE
    WHEN wait_event IS DISTINCT FROM 'ClientRead' THEN '${WORKING}'
    ELSE 'copied ' || copying.bytes_processed END) AS progress
  FROM unnest($1::int[], $2::text[]) WITH ORDINALITY AS asked (pid, sql, place)
  JOIN pg_stat_activity AS backend
    ON backend.datname = current_database() AND backend.usename = session_user
   AND backend.pid <> pg_backend_pid()
   AND (asked.pid IS NULL OR backend.pid = asked.pid)
   AND (state IS NULL OR state = 'disabled'
        OR state = 'active' AND left(query, ${STATEMENT_CHARACTERS}) = asked.sql)
  LEFT JOIN pg_stat_progress_copy AS copying ON copying.pid = backend.pid
  WHERE wait_event_type IS DISTINCT FROM 'Client'
     OR wait_event = 'ClientRead' AND copying.pid IS NOT NULL
  GROUP BY asked.place`;

function processIdOf(client: pg.PoolClient): number {
  return (client as unknown as { processID: number }).processID;
}

function passed(client: pg.PoolClient): { read: number; written: number } {
  const { stream } = (
    client as unknown as { connection: { stream: { bytesRead: number; bytesWritten: number } } }
  ).connection;
  return { read: stream.bytesRead, written: stream.bytesWritten };
}
