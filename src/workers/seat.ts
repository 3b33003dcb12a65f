import type { Worker } from 'node:worker_threads';
import type { Scrape } from '../api/metrics.ts';
import type { IndexBroker } from './index-broker.ts';
import { errorOf, type FromWorker, faultOf, type IndexAsk, type ToWorker } from './messages.ts';

/** Who has not told its metrics by then is left out of the scrape. */
const SCRAPE_MS = 1_000;

/** One worker, as the main thread sees it. */
export class Seat {
  readonly number: number;
  readonly #thread: Worker;
  readonly #broker: IndexBroker;
  readonly #listening = Promise.withResolvers<string>();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #serving = Promise.withResolvers<string>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #death = Promise.withResolvers<Error>();
  readonly #scrapes = new Map<number, (scrape: Scrape) => void>();
  #lastScrape = 0;
  #isStopping = false;

  constructor(deps: { thread: Worker; number: number; broker: IndexBroker }) {
    const { thread, number, broker } = deps;
    this.number = number;
    this.#thread = thread;
    this.#broker = broker;
    thread.on('message', (message: FromWorker) => this.#told(message));
    thread.once('error', (error) => this.#ended(error));
    thread.once('exit', (code) => this.#ended(new Error(`The thread ended with ${code}`)));
    for (const { promise } of [this.#listening, this.#loaded, this.#serving, this.#stopped]) {
      // Who waits for one of them is told; the others are nobody's concern.
      promise.catch(() => {});
    }
  }

  /** Resolves with the address; this and the next two reject with what made the worker fail. */
  get listening(): Promise<string> {
    return this.#listening.promise;
  }

  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Resolves with the greeting. */
  get serving(): Promise<string> {
    return this.#serving.promise;
  }

  /** Resolves with the reason when the thread has ended though nobody stopped it; else never. */
  get death(): Promise<Error> {
    return this.#death.promise;
  }

  tell(message: ToWorker): void {
    this.#thread.postMessage(message);
  }

  /** Lets requests in flight finish, then ends the thread; rejects with what went wrong in that. */
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

  /** What the worker measures; undefined where it does not answer in time. */
  async scrape(): Promise<{ worker: number; scrape: Scrape } | undefined> {
    const id = ++this.#lastScrape;
    const answer = Promise.withResolvers<Scrape | undefined>();
    const timer = setTimeout(() => answer.resolve(undefined), SCRAPE_MS);
    this.#scrapes.set(id, answer.resolve);
    this.tell({ kind: 'scrape', id });
    const scrape = await answer.promise;
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
        else this.#stopped.reject(errorOf(message.fault));
        break;
      case 'failed':
        this.#ended(errorOf(message.fault));
        break;
      case 'scraped':
        this.#scrapes.get(message.id)?.(message.scrape);
        break;
      case 'index':
        void this.#answer(message.id, message.ask);
    }
  }

  async #answer(id: number, ask: IndexAsk): Promise<void> {
    try {
      this.tell({ kind: 'made', id, columns: await this.#made(ask) });
    } catch (error) {
      this.tell({ kind: 'not made', id, fault: faultOf(error) });
    }
  }

  #made(ask: IndexAsk) {
    switch (ask.kind) {
      case 'open':
        return this.#broker.open();
      case 'build':
        return this.#broker.build(ask.notBefore);
      case 'merge':
        return this.#broker.merge(ask.input);
    }
  }

  /** All that anybody still waits for is over; the first reason counts. */
  #ended(error: Error): void {
    for (const waited of [this.#listening, this.#loaded, this.#serving, this.#stopped]) {
      waited.reject(error);
    }
    if (!this.#isStopping) this.#death.resolve(error);
  }
}
