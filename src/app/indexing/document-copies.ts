import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { IN_BACKGROUND, LazyThread, LITTLE_MEMORY } from '../../common/threads/thread.ts';
import type { ChangeLog } from '../../engines/change-log/change-log.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import {
  COPY_FROM,
  type DocumentColumns,
  type DocumentCopy,
  type DocumentMaker,
} from '../../features/catalog/document-copy.ts';
import type { LiveCatalog } from '../../features/catalog/live/live-catalog.ts';
import type { StreamPolicy } from '../../features/catalog/streamed-audio.ts';
import type { DocumentJob, DocumentNews } from './document-thread.ts';
import { JOB_IDLE_MS, type JobThread } from './offer-jobs.ts';

/** A new copy is written when so many tracks, and this part of the catalog, have changed since the last copy. */
const MIN_CHANGED = 5_000;
const CHANGED_PART = 1 / 16;

/** A large import causes at most one new copy in this time. */
const CHECK_MS = 60_000;

export interface DocumentCopiesOptions {
  catalog: Pick<LiveCatalog, 'size' | 'documentState' | 'adoptDocuments' | 'closeDocuments'>;
  changes: Pick<ChangeLog, 'since'>;
  maker: DocumentMaker;
  /** Throws if the file is missing. */
  open(columns: DocumentColumns): DocumentCopy;
  log: Log;
  /**
   * Whether this node requests the first copy, and newer ones. Of several nodes in a process, only one does, and all
   * receive them.
   */
  requests: boolean;
  /** Default: 20,000. */
  copyFrom?: number;
}

/** Keeps a copy of the documents of a large catalog, and writes a new one when much of it has changed. */
export class DocumentCopies {
  readonly #options: Required<DocumentCopiesOptions>;
  #timer: NodeJS.Timeout | undefined;
  #adopting: Promise<void> = Promise.resolve();
  #openedId: string | undefined;
  #isClosed = false;

  constructor(options: DocumentCopiesOptions) {
    this.#options = { copyFrom: COPY_FROM, ...options };
  }

  /** Call it after the catalog is loaded. */
  start(): void {
    this.#options.maker.onColumns((columns) => {
      this.#adopting = this.#adopting.then(() => this.#adopt(columns));
    });
    if (this.#options.requests) this.check();
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
  }

  check(): void {
    const { catalog, copyFrom, maker, requests } = this.#options;
    if (catalog.size < copyFrom) return;
    const changed = catalog.documentState.changedSinceCopy;
    const isOutdated = (changed ?? 0) > Math.max(MIN_CHANGED, catalog.size * CHANGED_PART);
    // A node may lose its copy when its index is rebuilt.
    if (changed === undefined || (isOutdated && requests)) maker.request(isOutdated);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#options.maker.close();
    await this.#adopting;
    this.#options.catalog.closeDocuments();
  }

  async #adopt(columns: DocumentColumns): Promise<void> {
    const { catalog, changes, open, log } = this.#options;
    const isOpen = catalog.documentState.changedSinceCopy !== undefined;
    if (this.#isClosed || (isOpen && columns.id === this.#openedId)) return;
    let copy: DocumentCopy | undefined;
    try {
      copy = open(columns);
      await catalog.adoptDocuments(copy, changes);
      this.#openedId = columns.id;
    } catch (error) {
      copy?.close();
      // The next check requests it again.
      if (!this.#isClosed) log.warn({ err: error }, 'the document file was not opened');
    }
  }
}

/** Requests are ignored for this time after a failure, such as a full disk. */
const FAILURE_PAUSE_MS = 10 * 60_000;

export interface DocumentJobsOptions {
  /** Of the store, which the thread opens itself. */
  location: StoreLocation;
  /** What the documents say of streams. */
  streams: StreamPolicy;
  clock: Clock;
  log: Log;
}

/** Opens and writes the document file in a thread, one at a time. */
export class DocumentJobs implements DocumentMaker {
  readonly #deps: DocumentJobsOptions;
  #take: (columns: DocumentColumns) => void = () => {};
  readonly #thread = new LazyThread<JobThread<DocumentJob, DocumentNews>>(
    new URL('./document-thread.ts', import.meta.url),
    {
      idleMs: JOB_IDLE_MS,
      name: 'stave documents',
      lowerBy: IN_BACKGROUND,
      resourceLimits: LITTLE_MEMORY,
    },
  );
  #isBusy = false;
  /** By performance.now(). */
  #failedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(deps: DocumentJobsOptions) {
    this.#deps = deps;
  }

  onColumns(take: (columns: DocumentColumns) => void): void {
    this.#take = take;
  }

  request(isOutdated: boolean): void {
    const isPausing = performance.now() - this.#failedAt < FAILURE_PAUSE_MS;
    if (this.#isClosed || isPausing || this.#isBusy) return;
    this.#isBusy = true;
    const { location: store, streams, clock } = this.#deps;
    const job: DocumentJob = { store, streams, now: clock.now(), isOutdated };
    this.#thread
      .call('run', job, (news) => this.#receive(news))
      .catch((error: Error) => this.#report(error))
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.close();
  }

  #receive(news: DocumentNews): void {
    if (this.#isClosed) return;
    const { columns, from, refused } = news;
    if (refused !== undefined)
      this.#deps.log.warn({ reason: refused }, 'the document file was not used');
    this.#deps.log.info({ from, tracks: columns.size }, 'document file ready');
    this.#take(columns);
  }

  #report(error: Error): void {
    if (this.#isClosed) return;
    this.#failedAt = performance.now();
    this.#deps.log.warn(
      { err: error },
      'the document file was not written: the database is read instead',
    );
  }
}
