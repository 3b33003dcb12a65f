import type { Worker } from 'node:worker_threads';
import { deserializeError, serializeError } from '../../common/threads/serialized-error.ts';
import type { Scrape } from '../../engines/http/metrics/metrics.ts';
import type { DocumentMaker } from '../../features/catalog/document-copy.ts';
import type { Service } from '../service.ts';
import type { IndexBroker } from './index-broker.ts';
import type { FromWorker, IndexAsk, IndexMade, ToWorker } from './messages.ts';

/** A worker that does not respond within this time is missing in the scrape. */
const SCRAPE_MS = 1_000;

/** Represents one worker in the main thread. */
export class WorkerHandle {
  readonly number: number;
  readonly #thread: Worker;
  readonly #broker: IndexBroker;
  readonly #documents: Pick<DocumentMaker, 'request'>;
  readonly #listening = Promise.withResolvers<string>();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #serving = Promise.withResolvers<Service['greeting']>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #death = Promise.withResolvers<Error>();
  readonly #scrapes = new Map<number, (scrape: Scrape) => void>();
  #lastScrape = 0;
  #isStopping = false;

  constructor(deps: {
    thread: Worker;
    number: number;
    broker: IndexBroker;
    documents: Pick<DocumentMaker, 'request'>;
  }) {
    const { thread, number, broker, documents } = deps;
    this.number = number;
    this.#thread = thread;
    this.#broker = broker;
    this.#documents = documents;
    thread.on('message', (message: FromWorker) => this.#told(message));
    thread.once('error', (error) => this.#ended(error));
    thread.once('exit', (code) => this.#ended(new Error(`The thread ended with ${code}`)));
    for (const { promise } of [this.#listening, this.#loaded, this.#serving, this.#stopped]) {
      // Callers handle the rejections of the promises that they await. The other rejections must not end the
      // process.
      promise.catch(() => {});
    }
  }

  /**
   * Resolves with the address. This promise and the next two reject with the error of a worker that failed.
   */
  get listening(): Promise<string> {
    return this.#listening.promise;
  }

  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Resolves with the greeting. */
  get serving(): Promise<Service['greeting']> {
    return this.#serving.promise;
  }

  /** Resolves with the cause when the thread has ended without being stopped. Never resolves otherwise. */
  get death(): Promise<Error> {
    return this.#death.promise;
  }

  tell(message: ToWorker): void {
    this.#thread.postMessage(message);
  }

  /** Completes open requests, then ends the thread. Rejects with the error of closing. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.tell({ kind: 'stop' });
    try {
      await this.#stopped.promise;
    } finally {
      await this.#thread.terminate();
    }
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    this.#isStopping = true;
    await this.#thread.terminate();
  }

  /** Returns the metrics of the worker; undefined if it does not respond in time. */
  async scrape(): Promise<{ worker: number; scrape: Scrape } | undefined> {
    const id = ++this.#lastScrape;
    const scraped = Promise.withResolvers<Scrape | undefined>();
    const timer = setTimeout(() => scraped.resolve(undefined), SCRAPE_MS);
    this.#scrapes.set(id, scraped.resolve);
    this.tell({ kind: 'scrape', id });
    const scrape = await scraped.promise;
    clearTimeout(timer);
    this.#scrapes.delete(id);
    return scrape && { worker: this.number, scrape };
  }

  #told(message: FromWorker): void {
    switch (message.kind) {
      case 'listening':
        this.#listening.resolve(message.address);
        break;
      case 'loaded':
        this.#loaded.resolve();
        break;
      case 'serving':
        this.#serving.resolve(message.greeting);
        break;
      case 'stopped':
        if (message.fault === undefined) this.#stopped.resolve();
        else this.#stopped.reject(deserializeError(message.fault));
        break;
      case 'failed':
        this.#ended(deserializeError(message.fault));
        break;
      case 'scraped':
        this.#scrapes.get(message.id)?.(message.scrape);
        break;
      case 'documents':
        this.#documents.request(message.isOutdated);
        break;
      case 'index':
        void this.#respondTo(message.id, message.ask);
    }
  }

  async #respondTo(id: number, ask: IndexAsk): Promise<void> {
    try {
      this.tell({ kind: 'made', id, made: await this.#made(ask) });
    } catch (error) {
      this.tell({ kind: 'not made', id, fault: serializeError(error) });
    }
  }

  async #made(ask: IndexAsk): Promise<IndexMade> {
    switch (ask.kind) {
      case 'open':
        return { columns: await this.#broker.open() };
      case 'build':
        return { columns: await this.#broker.build(ask.notBefore) };
      case 'merge':
        return { columns: await this.#broker.merge(ask.input) };
      case 'changes':
        return this.#broker.changes(ask.after);
    }
  }

  /** Rejects everything that is still awaited. The first error counts. */
  #ended(error: Error): void {
    for (const waited of [this.#listening, this.#loaded, this.#serving, this.#stopped]) {
      waited.reject(error);
    }
    if (!this.#isStopping) this.#death.resolve(error);
  }
}
