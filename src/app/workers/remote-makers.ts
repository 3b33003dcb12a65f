import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../common/log.ts';
import type { Calls } from '../../common/threads/calls.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { DocumentColumns, DocumentMaker } from '../../features/catalog/document-copy.ts';
import type { IndexMaker } from '../indexing/index-source.ts';
import type { WorkerStarter } from './messages.ts';

/** The pause after a failed takeover of a base. */
const RETRY_MS = 1_000;

/** Requests segments from the main thread. */
export class RemoteIndexMaker implements IndexMaker {
  readonly #main: Calls<WorkerStarter>;
  readonly #log: Log;
  readonly #closing = new AbortController();
  #take: ((columns: SegmentColumns) => Promise<void>) | undefined;
  /** The newest base that still waits for its takeover. */
  #offered: SegmentColumns | undefined;
  #taking: Promise<void> | undefined;

  readonly open: IndexMaker['open'] = () => this.#main.call('open');
  readonly build: IndexMaker['build'] = (notBefore) => this.#main.call('build', notBefore);
  readonly merge: IndexMaker['merge'] = (input) => this.#main.call('merge', input);
  readonly changes: IndexMaker['changes'] = (after) => this.#main.call('changes', after);

  constructor(main: Calls<WorkerStarter>, log: Log) {
    this.#main = main;
    this.#log = log;
  }

  /** Rejects the open requests, and waits for a takeover that has begun. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#main.fail(new Error('The worker is stopping'));
    await this.#taking;
  }

  /** Offers a base that was made for another worker. */
  offer(columns: SegmentColumns): void {
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

/** Requests copies from the main thread, which sends them to all workers. */
export class RemoteDocumentMaker implements DocumentMaker {
  readonly #main: Calls<WorkerStarter>;
  #take: ((columns: DocumentColumns) => void) | undefined;
  /** The last copy, if it arrived before `onColumns`. */
  #waiting: DocumentColumns | undefined;

  constructor(main: Calls<WorkerStarter>) {
    this.#main = main;
  }

  onColumns(take: (columns: DocumentColumns) => void): void {
    this.#take = take;
    if (this.#waiting !== undefined) take(this.#waiting);
    this.#waiting = undefined;
  }

  request(isOutdated: boolean): void {
    this.#main.tell('requestDocuments', isOutdated);
  }

  receive(columns: DocumentColumns): void {
    if (this.#take === undefined) this.#waiting = columns;
    else this.#take(columns);
  }

  async close(): Promise<void> {
    this.#take = () => {};
  }
}
