import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { IN_BACKGROUND, LITTLE_MEMORY } from '../../common/threads/start-thread.ts';
import type { StoreLocation } from '../../engines/sql/store-location.ts';
import type { DocumentColumns, DocumentMaker } from '../../features/catalog/document-copy.ts';
import type { DocumentJob, DocumentNews } from './document-thread.ts';
import { JobThread } from './job-thread.ts';

/** After a failure, such as a full disk, requests are ignored for this time. */
const FAILURE_PAUSE_MS = 10 * 60_000;

/** Opens and writes the document file in a thread, one at a time. */
export class DocumentJobs implements DocumentMaker {
  readonly #location: StoreLocation;
  readonly #clock: Clock;
  readonly #log: Log;
  #take: (columns: DocumentColumns) => void = () => {};
  readonly #thread = new JobThread<DocumentJob, DocumentNews>(
    new URL('./document-thread.ts', import.meta.url),
    {
      name: 'stave documents',
      lowerBy: IN_BACKGROUND,
      resourceLimits: LITTLE_MEMORY,
    },
  );
  #isBusy = false;
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
    if (this.#isClosed || isPausing || this.#isBusy) return;
    this.#isBusy = true;
    const job: DocumentJob = { store: this.#location, now: this.#clock.now(), isOutdated };
    this.#thread
      .run(job, (news) => this.#received(news))
      .catch((error: Error) => this.#report(error))
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.close();
  }

  #received(news: DocumentNews): void {
    if (this.#isClosed) return;
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
