import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { abandon, clientConfig } from './connection.ts';

/** What each commit that appends to the change log notifies. */
export const CHANNEL = 'stave_changes';

/** Pause before another try to listen. */
const RETRY_MS = 250;

/**
 * Wakes those who wait for changes, on a connection of its own. Only a help: who follows the log
 * polls it as well, for a notification may be lost with its connection.
 */
export class ChangeListener {
  readonly #url: string;
  readonly #wakes = new Set<() => void>();
  #client: pg.Client | undefined;
  #listening: Promise<void> | undefined;
  #isStopped = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Calls back after commits that appended to the log, sometimes without one; returns how to end that. */
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
      const client = new pg.Client(clientConfig(this.#url, 'direct'));
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', () => abandon(client));
      client.on('notification', () => this.#wakeAll());
      this.#client = client;
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
        // What was committed before is not told.
        this.#wakeAll();
        await ended;
      } catch {
        // The pool finds out what is the matter, and says so.
        abandon(client);
      }
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  #wakeAll(): void {
    for (const wake of this.#wakes) wake();
  }
}
