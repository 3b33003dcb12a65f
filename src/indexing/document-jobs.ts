import type { Worker } from 'node:worker_threads';
import type { StoreLocation } from '../app/open-store.ts';
import type { DocumentColumns, DocumentMaker } from '../catalog/document-copy.ts';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { deserializeError } from '../common/serialized-error.ts';
import type { DocumentJob, DocumentNews } from './document-thread.ts';
import { startThread } from './start-thread.ts';

/** After a failure, such as a full disk, requests are ignored for this time. */
const FAILURE_PAUSE_MS = 10 * 60_000;

/** Opens and writes the document file in a thread, one at a time. */
export class DocumentJobs implements DocumentMaker {
  readonly #location: StoreLocation;
  readonly #clock: Clock;
  readonly #log: Log;
  #take: (columns: DocumentColumns) => void = () => {};
  #thread: Worker | undefined;
  /** The time of the last failure, by performance.now(). */
  #failedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @param deps.location of the store, which each thread opens itself. */
  constructor(deps: { location: StoreLocation; clock: Clock; log: Log }) {
    this.#location = deps.location;
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  onColumns(take: (columns: DocumentColumns) => void): void {
    this.#take = take;
  }

  request(isOutdated: boolean): void {
    const isPausing = performance.now() - this.#failedAt < FAILURE_PAUSE_MS;
    if (this.#isClosed || isPausing || this.#thread !== undefined) return;
    const job: DocumentJob = { store: this.#location, now: this.#clock.now(), isOutdated };
    const thread = startThread('./document-thread.ts', {
      workerData: job,
      name: 'stave documents',
    });
    this.#thread = thread;
    thread.on('message', (news: DocumentNews) => this.#received(news));
    thread.once('error', (error) => this.#report(error));
    thread.once('exit', () => {
      this.#thread = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  #received(news: DocumentNews): void {
    if (this.#isClosed) return;
    if ('failure' in news) {
      this.#report(deserializeError(news.failure));
      return;
    }
    const { columns, from, refused } = news;
    if (refused !== undefined)
      this.#log.warn({ reason: refused }, 'the document file was not used');
    this.#log.info({ from, tracks: columns.size }, 'document file ready');
    this.#take(columns);
  }

  #report(error: Error): void {
    if (this.#isClosed) return;
    this.#failedAt = performance.now();
    this.#log.warn(
      { err: error },
      'the document file was not written: the database is read instead',
    );
  }
}
