import { setImmediate as nextTurn } from 'node:timers/promises';
import { PeriodicTasks } from '../work/periodic-tasks.ts';

/** How often counts are written. A killed process loses those of this time. */
const WRITE_MS = 5_000;
/** The greatest number of counts in one statement: some milliseconds. */
const MAX_COUNTS = 250;
/** The greatest number of counts in memory while the database is away. The oldest are dropped. */
const MAX_UNWRITTEN = 50_000;

/** Where counts are added to those of other nodes. */
export interface CountStore<T> {
  /** Adds counts, 250 at most and each key once. A failure of the machine may undo it. */
  add(counts: readonly T[]): Promise<void>;
}

interface CountWriterOptions<T> {
  /** What is written, for the log. */
  name: string;
  store: CountStore<T>;
  keyOf: (count: T) => string;
  /** Adds a count to another one with the same key. */
  merge: (into: T, count: T) => void;
  onError: (error: unknown) => void;
  /** Returns further counts that are due; called before each write. */
  collect?: () => Iterable<T>;
  /** For tests that cannot wait. */
  writeMs?: number | undefined;
}

/**
 * Collects counts in memory, and adds them to those in the database every five seconds, beside the requests. While the
 * database is away, it keeps them.
 */
export class CountWriter<T> {
  readonly #options: CountWriterOptions<T>;
  readonly #writes: PeriodicTasks;
  readonly #counts = new Map<string, T>();

  constructor(options: CountWriterOptions<T>) {
    this.#options = options;
    this.#writes = new PeriodicTasks({
      tasks: [{ name: options.name, run: () => this.write() }],
      intervalMs: options.writeMs ?? WRITE_MS,
      onError: options.onError,
    });
  }

  /** Adds a count to the next write. The caller does not use it afterwards. */
  add(count: T): void {
    const key = this.#options.keyOf(count);
    const before = this.#counts.get(key);
    if (before !== undefined) {
      this.#options.merge(before, count);
      return;
    }
    const [oldest] = this.#counts.size < MAX_UNWRITTEN ? [] : this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
    this.#counts.set(key, count);
  }

  start(): void {
    this.#writes.start();
  }

  async stop(): Promise<void> {
    await this.#writes.stop();
    await this.write().catch(this.#options.onError);
  }

  /** Writes what was counted. What could not be written is kept for the next call. */
  async write(): Promise<void> {
    for (const count of this.#options.collect?.() ?? []) this.add(count);
    // In the order of their keys, so that nodes that write the same rows do not wait for each other in a circle.
    const counts = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
    this.#counts.clear();
    for (let i = 0; i < counts.length; i += MAX_COUNTS) {
      try {
        await this.#options.store.add(counts.slice(i, i + MAX_COUNTS));
      } catch (error) {
        for (const count of counts.slice(i)) this.add(count);
        throw error;
      }
      // SQLite writes in this thread: requests come between the statements.
      await nextTurn();
    }
  }
}
