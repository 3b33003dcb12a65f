import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexMaker } from '../index-source.ts';
import type { Log } from '../kernel/log.ts';
import type { SegmentColumns } from '../search/columns.ts';
import type { MergeInput } from '../search/merge.ts';
import { errorOf, type Fault, type IndexAsk } from './messages.ts';

/** Pause before a base that could not be gone over to is tried again. */
const RETRY_MS = 1_000;

/** The main thread's maker of segments, as a worker asks it. */
export class RemoteIndexMaker implements IndexMaker {
  readonly #ask: (id: number, ask: IndexAsk) => void;
  readonly #log: Log;
  readonly #asked = new Map<number, PromiseWithResolvers<SegmentColumns>>();
  readonly #closing = new AbortController();
  #lastId = 0;
  #take: ((columns: SegmentColumns) => Promise<void>) | undefined;
  /** The newest base that was offered and is yet to be taken. */
  #offered: SegmentColumns | undefined;
  #taking: Promise<void> | undefined;

  /** @param deps.ask sends a question to the main thread; its answer comes by `made` or `notMade`. */
  constructor(deps: { ask: (id: number, ask: IndexAsk) => void; log: Log }) {
    this.#ask = deps.ask;
    this.#log = deps.log;
  }

  open(): Promise<SegmentColumns> {
    return this.#made({ kind: 'open' });
  }

  build(notBefore: number): Promise<SegmentColumns> {
    return this.#made({ kind: 'build', notBefore });
  }

  merge(input: MergeInput): Promise<SegmentColumns> {
    return this.#made({ kind: 'merge', input });
  }

  /** Waits for no answer any more, but for the base that is being gone over to. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { reject } of this.#asked.values()) reject(new Error('The worker is stopping'));
    this.#asked.clear();
    await this.#taking;
  }

  made(id: number, columns: SegmentColumns): void {
    this.#asked.get(id)?.resolve(columns);
    this.#asked.delete(id);
  }

  notMade(id: number, fault: Fault): void {
    this.#asked.get(id)?.reject(errorOf(fault));
    this.#asked.delete(id);
  }

  /** What another worker's merge or build has made. */
  offered(columns: SegmentColumns): void {
    if (this.#offered === undefined || columns.meta.seq > this.#offered.meta.seq) {
      this.#offered = columns;
      this.#takeOffered();
    }
  }

  /** As Crew's. */
  onBase(take: (columns: SegmentColumns) => Promise<void>): void {
    this.#take = take;
    this.#takeOffered();
  }

  #made(ask: IndexAsk): Promise<SegmentColumns> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error('The worker is stopping'));
    const asked = Promise.withResolvers<SegmentColumns>();
    this.#asked.set(++this.#lastId, asked);
    this.#ask(this.#lastId, ask);
    return asked.promise;
  }

  #takeOffered(): void {
    if (this.#take === undefined) return;
    this.#taking ??= this.#takeAll(this.#take).finally(() => {
      this.#taking = undefined;
    });
  }

  async #takeAll(take: (columns: SegmentColumns) => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    while (this.#offered !== undefined && !signal.aborted) {
      const columns = this.#offered;
      this.#offered = undefined;
      try {
        await take(columns);
      } catch (error) {
        if (signal.aborted) return;
        this.#log.error({ err: error }, 'going over to a new search index failed');
        this.#offered ??= columns;
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }
}
