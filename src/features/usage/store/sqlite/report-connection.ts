import type { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import type { WriteContext } from '../../../../common/caller/write-context.ts';
import {
  deserializeError,
  type SerializedError,
} from '../../../../common/threads/serialized-error.ts';
import {
  BELOW_REQUESTS,
  LITTLE_MEMORY,
  startThread,
} from '../../../../common/threads/start-thread.ts';
import type { WaitPolicy } from '../../../../common/work/wait-policy.ts';
import { queriesBy } from '../../../../engines/sql/sqlite/sql-database.ts';
import { whyBusy } from '../../../../engines/sql/sqlite/sqlite-error.ts';
import type { UsageReport, UsageResult } from '../../usage.ts';
import type { UsageStore } from '../usage-store.ts';

/** The data that the thread is started with. */
export interface ReportThreadData {
  /** The path of the database. */
  path: string;
  /** How long a report waits for a lock. */
  busyTimeoutMs: number;
  /** The size of the cache of pages; undefined for that of `Database.open`. */
  cacheKilobytes: number | undefined;
}

/** A report for the thread. */
export interface NewReport {
  report: UsageReport;
  /** The context if it has a `finish`, which cannot be sent. The thread then asks for each step of it. */
  context: Omit<WriteContext, 'finish'> | null;
}

/** A step of `finish`, in the transaction of the report. */
export type FinishStep =
  | { query: Pick<CompiledQuery, 'sql' | 'parameters'> }
  | { end: 'commit' | 'rollback' };

/** A message to the thread. The id is that of the report. */
export type ReportMessage = 'close' | ({ id: number } & (NewReport | FinishStep));

/** The answer of the thread to each message about a report. */
export type ReportAnswer =
  /** The report is stored, but not committed. The next messages are steps of `finish`. */
  | { made: readonly UsageResult[] }
  /** The rows of a query of `finish`. */
  | { rows: unknown[] }
  /** The report is on disk. */
  | { results: readonly UsageResult[] }
  | { failure: SerializedError };

type Context = WriteContext<readonly UsageResult[]>;

/**
 * A connection to a SQLite file in a thread of its own, which stores reports of usage. Their statements take 20 ms and
 * wait for the disk, and so would block the event loop. The thread starts with the first report.
 */
export class ReportConnection implements Pick<UsageStore, 'report'> {
  readonly #data: ReportThreadData;
  readonly #waitPolicy: WaitPolicy;
  #thread: ReportThread | undefined;
  #isClosed = false;

  constructor(data: ReportThreadData, waitPolicy: WaitPolicy) {
    this.#data = data;
    this.#waitPolicy = waitPolicy;
  }

  /**
   * As in `UsageStore`. Rejects if the thread ends meanwhile: the report may then be stored, or not. The next report
   * starts a new thread.
   */
  report(report: UsageReport, context?: Context): Promise<readonly UsageResult[]> {
    return this.#waitPolicy.run(
      () => this.#report(report, context),
      (error) => whyBusy(error, this.#data.path),
    );
  }

  /** Ends the thread after the transaction that is open. Reports that are not stored then are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.close();
  }

  async #report(report: UsageReport, context?: Context): Promise<readonly UsageResult[]> {
    if (this.#isClosed) throw ended();
    if (this.#thread === undefined || this.#thread.isEnded) {
      this.#thread = new ReportThread(this.#data);
    }
    return this.#thread.report(report, context);
  }
}

/** One thread. */
class ReportThread {
  readonly #worker: Worker;
  /** The messages without an answer, by the ids of their reports. A report has one at a time. */
  readonly #waiting = new Map<number, PromiseWithResolvers<ReportAnswer>>();
  readonly #end = Promise.withResolvers<void>();
  #reports = 0;
  isEnded = false;

  constructor(data: ReportThreadData) {
    this.#worker = startThread(new URL('./report-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: LITTLE_MEMORY,
      lowerBy: BELOW_REQUESTS,
    });
    this.#worker.on('message', ({ id, ...answer }: { id: number } & ReportAnswer) => {
      this.#waiting.get(id)?.resolve(answer);
      this.#forget(id);
    });
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => {
      this.#fail(ended());
      this.#end.resolve();
    });
  }

  async report(report: UsageReport, context?: Context): Promise<readonly UsageResult[]> {
    const id = this.#reports++;
    const { finish, ...plain } = context ?? {};
    const sent = finish === undefined ? null : (plain as NonNullable<NewReport['context']>);
    const answer = await this.#ask(id, { report, context: sent });
    if ('results' in answer) return answer.results;
    const { made } = answer as { made: readonly UsageResult[] };
    const queries = queriesBy(async ({ sql, parameters }) => {
      const { rows } = (await this.#ask(id, { query: { sql, parameters } })) as { rows: unknown[] };
      return { rows };
    });
    try {
      await finish!(made, { queries });
    } catch (error) {
      // The error of `finish` is the one to report, also if the transaction has ended already.
      await this.#ask(id, { end: 'rollback' }).catch(() => {});
      throw error;
    }
    await this.#ask(id, { end: 'commit' });
    return made;
  }

  async close(): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage('close' satisfies ReportMessage);
    await this.#end.promise;
  }

  async #ask(id: number, message: NewReport | FinishStep): Promise<ReportAnswer> {
    if (this.isEnded) throw ended();
    const waiting = Promise.withResolvers<ReportAnswer>();
    this.#waiting.set(id, waiting);
    // A thread without a report must not keep a process alive that forgets to close the store.
    this.#worker.ref();
    this.#worker.postMessage({ id, ...message } satisfies ReportMessage);
    const answer = await waiting.promise;
    if ('failure' in answer) throw deserializeError(answer.failure);
    return answer;
  }

  #forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(error: Error): void {
    this.isEnded = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function ended(): Error {
  return new Error('The thread that stores reports of usage was ended');
}
