import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { abandon, clientConfig } from './connection.ts';

/** The channel that every commit with changes notifies. */
export const CHANNEL = 'stave_changes';

/** The pause between two attempts to listen. */
const RETRY_MS = 250;
/** How often the connection is tested, because its loss may cause no event. */
const BEAT_MS = 5_000;
/** The time limit of that test. */
const RESULT_MS = 2_000;

/**
 * Wakes the followers of the change log, on a connection of its own. Followers also poll, because a
 * notification is lost if the connection is.
 */
export class ChangeListener {
  readonly #config: pg.ClientConfig;
  readonly #wakes = new Set<() => void>();
  #client: pg.Client | undefined;
  #listening: Promise<void> | undefined;
  #isStopped = false;

  constructor(url: string) {
    this.#config = clientConfig(url, 'direct');
  }

  /**
   * Calls back after commits that appended to the log, and sometimes without one. Returns a function that
   * ends the subscription.
   */
  subscribe(wake: () => void): () => void {
    this.#wakes.add(wake);
    this.#listening ??= this.#listen().finally(() => {
      this.#listening = undefined;
    });
    return () => {
      this.#wakes.delete(wake);
      if (this.#wakes.size === 0) this.#hangUp();
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#hangUp();
  }

  #hangUp(): void {
    if (this.#client !== undefined) abandon(this.#client);
    this.#client = undefined;
  }

  async #listen(): Promise<void> {
    while (!this.#isStopped && this.#wakes.size > 0) {
      const client = new pg.Client(this.#config);
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', () => abandon(client));
      client.on('notification', () => this.#wakeAll());
      this.#client = client;
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
        // Commits before the LISTEN caused no notification.
        this.#wakeAll();
        while (!(await isOverWithin(ended, BEAT_MS))) {
          await client.query({ text: 'SELECT 1', query_timeout: RESULT_MS } as pg.QueryConfig);
        }
      } catch {
        // The pool detects the reason and reports it.
        abandon(client);
      }
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  #wakeAll(): void {
    for (const wake of this.#wakes) wake();
  }
}

function isOverWithin(over: Promise<void>, ms: number): Promise<boolean> {
  return Promise.race([over.then(() => true), sleep(ms, false, { ref: false })]);
}
