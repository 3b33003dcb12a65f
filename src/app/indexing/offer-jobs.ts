import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { offerToStarter } from '../../common/threads/calls.ts';

/** A thread for one kind of job. `tell` sends news of the job. */
export interface JobThread<Job, News> {
  run(job: Job, tell: (news: News) => void): Promise<void>;
}

/** A thread without a job ends after this time. It covers the pauses between the jobs of a large import. */
export const JOB_IDLE_MS = 10_000;

/** Frees the memory of each job after it. */
export function offerJobs<Job, News>(run: JobThread<Job, News>['run']): void {
  offerToStarter({
    run: (job, tell) => run(job, tell).finally(() => setImmediate(collectGarbage)),
  } satisfies JobThread<Job, News>);
}

/**
 * Frees all memory of this thread that is no longer referenced, which takes some tens of milliseconds. V8 does not count
 * shared memory, so it would keep segments of hundreds of megabytes until a thread needs memory for something else.
 */
export function collectGarbage(): void {
  collect ??= makeCollect();
  collect();
}

let collect: (() => void) | undefined;

/** Only a context that is made after the flag was set has the function. */
function makeCollect(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
