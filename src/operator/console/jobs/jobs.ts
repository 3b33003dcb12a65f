import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../app/config/config.ts';
import type { AppContext } from '../../../app/open/context.ts';
import { UPLOADS_FOLDER } from '../../../app/open/data-folder.ts';
import type { Actor } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { newId } from '../../../common/ids.ts';
import type { UndoSummary } from '../../../features/catalog/batches.ts';
import type { ExplainOptions, Explanation } from '../../../features/import/explain/explain.ts';
import type { Rejection } from '../../../features/import/item.ts';
import type { ImportProgress } from '../../../features/import/options.ts';
import type { Taken } from '../../backup/take-backup.ts';
import type { Finding } from '../../doctor/finding.ts';
import type { ImportRequest, ImportResult } from '../../import-tracks.ts';
import type { Sheet } from '../../statements/sheet.ts';

const MAX_RUNNING = 3;
const MAX_KEPT = 50;
const MAX_NOTES = 200;

export interface Job {
  id: string;
  kind: JobWork['kind'];
  title: string;
  isDryRun: boolean;
  startedAt: number;
  endedAt: number | null;
  progress: { bytesRead: number; bytesTotal: number; records: number; file: string | null } | null;
  notes: string[];
  /** The first 1,000, and some of each kind. */
  rejections: Rejection[];
  rejectionCount: number;
  /** How many rejections there are of each kind (`kindOf`), for the first 100 kinds. */
  rejectionKinds: ReadonlyMap<string, number>;
  /** The path of a CSV file of all rejections, if there are any. */
  rejectionFile: string;
  result: JobResults[keyof JobResults] | null;
  /** Why it failed, in one line; null if it has not. */
  failure: string | null;
}

/**
 * Runs work that takes longer than a response, each in a process of its own. A thread whose read never returns could not be
 * ended, and would occupy one of the few threads that read all files of the service. The results are in memory.
 */
export class Jobs {
  readonly #context: AppContext;
  /** The newest last. */
  readonly #jobs = new Map<string, Job>();
  /** `ended` resolves when the process of the job has ended, and its uploads are removed. */
  readonly #running = new Map<Job, { child: ChildProcess; ended: Promise<void> }>();
  #isClosed = false;

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
    if (this.#running.size < MAX_RUNNING) return;
    throw new StaveError('conflict', `${MAX_RUNNING} jobs run already: wait until one has ended.`);
  }

  /** Throws `conflict` as `check` does. @param whenEnded called in any case, to remove what the job has read */
  start(
    work: JobWork,
    {
      title,
      by,
      isDryRun = false,
      whenEnded,
    }: { title: string; by: Actor; isDryRun?: boolean; whenEnded?: () => Promise<void> },
  ): Job {
    this.check();
    const { config, clock } = this.#context;
    const id = newId();
    const rejectionFile = join(config.dataFolder, UPLOADS_FOLDER, `${id}.csv`);
    const job: Job = {
      ...{ id, kind: work.kind, title, isDryRun },
      ...{ startedAt: clock.now(), endedAt: null, progress: null, notes: [] },
      ...{ rejections: [], rejectionCount: 0, rejectionKinds: new Map(), rejectionFile },
      ...{ result: null, failure: null },
    };
    const child = startProcess({ config, by, title, work, rejectionFile });
    this.#keep(job);
    child.on('message', (message: FromJob) => this.#receive(job, message));
    const ended = once(child, 'close').then(
      ([code, signal]) => this.#ended(job, { code, signal }, whenEnded),
      (error: unknown) => this.#ended(job, { err: error }, whenEnded),
    );
    this.#running.set(job, { child, ended });
    return job;
  }

  /** Kills all jobs, and removes what they have read. The operator can repeat an import. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { child } of running) endProcess(child);
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** @param how for the log: the exit code and signal, or the error */
  async #ended(job: Job, how: object, remove: () => Promise<void> = async () => {}): Promise<void> {
    if (job.result === null && job.failure === null) {
      job.failure = this.#isClosed ? 'it was ended with the service' : UNEXPECTED;
      if (!this.#isClosed) {
        this.#context.log.error({ ...how, job: job.title }, 'a job of the console failed');
      }
    }
    job.endedAt = this.#context.clock.now();
    await this.#removing(remove());
    this.#running.delete(job);
  }

  #receive(job: Job, message: FromJob): void {
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
        job.rejectionKinds = message.kinds;
        return;
      case 'done':
        job.result = message.result;
        return;
      case 'failed':
        job.failure = message.reason;
    }
  }

  #keep(job: Job): void {
    const ended = [...this.#jobs.values()].find(({ endedAt }) => endedAt !== null);
    if (this.#jobs.size >= MAX_KEPT && ended !== undefined) {
      this.#jobs.delete(ended.id);
      void this.#removing(rm(ended.rejectionFile, { force: true }));
    }
    this.#jobs.set(job.id, job);
  }

  /** Never rejects. The next start removes what is left. */
  #removing(removal: Promise<void>): Promise<void> {
    return removal.catch((error: unknown) =>
      this.#context.log.warn({ err: error }, 'removing a file of a job failed'),
    );
  }
}

function startProcess(order: JobOrder): ChildProcess {
  const child = fork(new URL('./job-process.ts', import.meta.url), {
    // Keeps maps, dates and undefined values.
    serialization: 'advanced',
    // The heap is that of an import in bin/stave.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8'],
    // Its log lines go to standard error.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // In a group of its own with the readers of audio that it starts, so that `endProcess` ends them, too.
    detached: true,
  });
  // Without free descriptors, this fails. An event of the process reports that.
  child.send?.(order, () => {});
  return child;
}

function endProcess({ pid, exitCode, signalCode }: ChildProcess): void {
  // The number of a process that has ended may belong to another one.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  process.kill(-pid, 'SIGKILL');
}

/** The options of an import that its form has. */
export type ImportForm = Pick<
  ImportRequest,
  'paths' | 'source' | 'mapFile' | 'mapFolder' | 'type' | 'strict' | 'dryRun' | 'prune'
>;

export type JobWork =
  | { kind: 'import'; form: ImportForm }
  | { kind: 'explain'; options: Omit<ExplainOptions, 'clock'> }
  | { kind: 'undo'; batch: string; dryRun: boolean }
  | { kind: 'backup'; place: string }
  | { kind: 'doctor' }
  | { kind: 'catalog' };

interface JobResults {
  import: ImportResult;
  explain: Explanation;
  undo: UndoSummary;
  backup: Taken;
  doctor: Finding[];
  catalog: Sheet;
}

/** The first message to the process of a job. */
export interface JobOrder {
  config: Config;
  by: Actor;
  title: string;
  work: JobWork;
  rejectionFile: string;
}

/** The page of a job says this of a fault, which only the log describes. */
export const UNEXPECTED = 'it failed unexpectedly; the log says why';

/** A message of the process of a job. */
export type FromJob =
  | { kind: 'progress'; progress: Omit<ImportProgress, 'reading'> & { file: string | null } }
  | { kind: 'note'; note: string }
  | {
      kind: 'rejections';
      rejections: Rejection[];
      count: number;
      kinds: ReadonlyMap<string, number>;
    }
  | { kind: 'done'; result: JobResults[keyof JobResults] }
  | { kind: 'failed'; reason: string };
