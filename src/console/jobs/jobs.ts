import type { Worker } from 'node:worker_threads';
import type { AppContext } from '../../app/context.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import { BELOW_REQUESTS, LITTLE_MEMORY, startThread } from '../../common/start-thread.ts';
import type { Rejection } from '../../import/rejection.ts';
import { type FromJobThread, type JobResults, type JobWork, UNEXPECTED } from './messages.ts';

/** The jobs that run at one time, and those that are remembered. */
const MAX_RUNNING = 3;
const MAX_KEPT = 50;
const MAX_NOTES = 200;

/** A job that runs, or has ended. */
export interface Job {
  id: string;
  kind: JobWork['kind'];
  /** What it works on, for people. */
  title: string;
  isDryRun: boolean;
  startedAt: number;
  endedAt: number | null;
  progress: { bytesRead: number; bytesTotal: number; records: number; file: string | null } | null;
  notes: string[];
  /** The first ones. */
  rejections: Rejection[];
  rejectionCount: number;
  result: JobResults[keyof JobResults] | null;
  /** Why it failed, in one line; null if it has not. */
  failure: string | null;
}

/** Runs work that takes longer than a response, each in a thread of its own. The results are in memory. */
export class Jobs {
  readonly #context: AppContext;
  /** The newest last. */
  readonly #jobs = new Map<string, Job>();
  readonly #threads = new Map<string, Worker>();
  /** The removals of what ended jobs have read. */
  readonly #removals = new Set<Promise<void>>();

  constructor(context: AppContext) {
    this.#context = context;
  }

  /** The newest first. */
  of(...kinds: JobWork['kind'][]): Job[] {
    return [...this.#jobs.values()].filter(({ kind }) => kinds.includes(kind)).reverse();
  }

  /** Throws `not_found`. */
  find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined)
      throw new StaveError('not_found', 'This console no longer knows the job.');
    return job;
  }

  /** Throws `conflict` if too many jobs run. */
  check(): void {
    if (this.#threads.size < MAX_RUNNING) return;
    throw new StaveError('conflict', `${MAX_RUNNING} jobs run already: wait until one has ended.`);
  }

  /** Starts a job. Throws as `check`. @param whenEnded called in any case, to remove what the job has read */
  start(
    work: JobWork,
    {
      title,
      isDryRun = false,
      whenEnded,
    }: { title: string; isDryRun?: boolean; whenEnded?: () => Promise<void> },
  ): Job {
    this.check();
    const job: Job = {
      ...{ id: newId(), kind: work.kind, title, isDryRun },
      ...{ startedAt: this.#context.clock.now(), endedAt: null, progress: null },
      ...{ notes: [], rejections: [], rejectionCount: 0, result: null, failure: null },
    };
    this.#remember(job);
    const { config, by } = this.#context;
    const thread = startThread(new URL('./job-thread.ts', import.meta.url), {
      workerData: { config, by, title, work },
      name: `console ${work.kind}`,
      lowerBy: BELOW_REQUESTS,
      ...(work.kind !== 'import' && { resourceLimits: LITTLE_MEMORY }),
    });
    this.#threads.set(job.id, thread);
    thread.on('message', (message: FromJobThread) => this.#told(job, message));
    thread.once('error', (error) => {
      job.failure ??= UNEXPECTED;
      this.#context.log.error({ err: error, job: title }, 'a job of the console failed');
    });
    thread.once('exit', () => {
      this.#threads.delete(job.id);
      job.endedAt = this.#context.clock.now();
      if (job.result === null) job.failure ??= 'it was ended with the service';
      this.#clean(whenEnded);
    });
    return job;
  }

  /** Ends all jobs at once, and removes what they have read. An import that is ended can be repeated. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads.values()].map((thread) => thread.terminate()));
    await Promise.all(this.#removals);
  }

  #clean(remove: () => Promise<void> = async () => {}): void {
    const removal = remove().catch((error: unknown) =>
      this.#context.log.warn({ err: error }, 'removing an uploaded file failed'),
    );
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }

  #told(job: Job, message: FromJobThread): void {
    switch (message.kind) {
      case 'progress':
        job.progress = message.progress;
        return;
      case 'note':
        if (job.notes.length < MAX_NOTES) job.notes.push(message.note);
        return;
      case 'rejections':
        job.rejections.push(...message.rejections);
        job.rejectionCount = message.count;
        return;
      case 'done':
        job.result = message.result;
        return;
      case 'failed':
        job.failure = message.reason;
    }
  }

  #remember(job: Job): void {
    const ended = [...this.#jobs.values()].find(({ endedAt }) => endedAt !== null);
    if (this.#jobs.size >= MAX_KEPT && ended !== undefined) this.#jobs.delete(ended.id);
    this.#jobs.set(job.id, job);
  }
}
