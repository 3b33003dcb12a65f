import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../common/log.ts';
import { deserializeError, type SerializedError } from '../../common/threads/serialized-error.ts';
import type { ChangedSegment } from '../../engines/search/build/changed-segment.ts';
import type { MergeInput } from '../../engines/search/merge/merge.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { DocumentColumns, DocumentMaker } from '../../features/catalog/document-copy.ts';
import type { IndexMaker } from '../indexing/index-source.ts';
import type { IndexAsk, IndexMade } from './messages.ts';

/** Pause before a failed takeover of a base is repeated. */
const RETRY_MS = 1_000;

/** The index maker of a worker: it requests segments from the main thread. */
export class RemoteIndexMaker implements IndexMaker {
  readonly #ask: (id: number, ask: IndexAsk) => void;
  readonly #log: Log;
  readonly #asked = new Map<number, PromiseWithResolvers<IndexMade>>();
  readonly #closing = new AbortController();
  #lastId = 0;
  #take: ((columns: SegmentColumns) => Promise<void>) | undefined;
  /** The newest base that was offered and not taken over yet. */
  #offered: SegmentColumns | undefined;
  #taking: Promise<void> | undefined;

  /** @param deps.ask sends a request to the main thread, which responds with `made` or `notMade`. */
  constructor(deps: { ask: (id: number, ask: IndexAsk) => void; log: Log }) {
    this.#ask = deps.ask;
    this.#log = deps.log;
  }

  async open(): Promise<SegmentColumns> {
    return (await this.#made({ kind: 'open' })).columns;
  }

  async build(notBefore: number): Promise<SegmentColumns> {
    return (await this.#made({ kind: 'build', notBefore })).columns;
  }

  async merge(input: MergeInput): Promise<SegmentColumns> {
    return (await this.#made({ kind: 'merge', input })).columns;
  }

  async changes(after: number): Promise<ChangedSegment> {
    const { columns, removed = new Uint32Array() } = await this.#made({ kind: 'changes', after });
    return { columns, removed };
  }

  /** Rejects the open requests, and waits for a takeover that has begun. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { reject } of this.#asked.values()) reject(new Error('The worker is stopping'));
    this.#asked.clear();
    await this.#taking;
  }

  made(id: number, made: IndexMade): void {
    this.#asked.get(id)?.resolve(made);
    this.#asked.delete(id);
  }

  notMade(id: number, fault: SerializedError): void {
    this.#asked.get(id)?.reject(deserializeError(fault));
    this.#asked.delete(id);
  }

  /** Offers a base that was made for another worker. */
  offered(columns: SegmentColumns): void {
    if (this.#offered === undefined || columns.meta.seq > this.#offered.meta.seq) {
      this.#offered = columns;
      this.#takeOffered();
    }
  }

  /** See `WorkerContext.onBase`. */
  onBase(take: (columns: SegmentColumns) => Promise<void>): void {
    this.#take = take;
    this.#takeOffered();
  }

  #made(ask: IndexAsk): Promise<IndexMade> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error('The worker is stopping'));
    const asked = Promise.withResolvers<IndexMade>();
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
        this.#log.error({ err: error }, 'taking over a new search index failed');
        this.#offered ??= columns;
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }
}

/** The document maker of a worker: it requests copies from the main thread, which sends them to all workers. */
export class RemoteDocumentMaker implements DocumentMaker {
  readonly #ask: (isOutdated: boolean) => void;
  #take: ((columns: DocumentColumns) => void) | undefined;
  /** The last copy, if it arrived before `onColumns`. */
  #waiting: DocumentColumns | undefined;

  /** @param ask sends a request to the main thread. */
  constructor(ask: (isOutdated: boolean) => void) {
    this.#ask = ask;
  }

  onColumns(take: (columns: DocumentColumns) => void): void {
    this.#take = take;
    if (this.#waiting !== undefined) take(this.#waiting);
    this.#waiting = undefined;
  }

  request(isOutdated: boolean): void {
    this.#ask(isOutdated);
  }

  /** Takes a copy that the main thread has sent. */
  received(columns: DocumentColumns): void {
    if (this.#take === undefined) this.#waiting = columns;
    else this.#take(columns);
  }

  async close(): Promise<void> {
    this.#take = () => {};
  }
}
