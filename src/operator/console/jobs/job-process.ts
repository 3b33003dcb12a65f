/** The process of one job of the console. jobs.ts starts it, and tells it the job. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { BELOW_REQUESTS, keepHeapSmall } from '../../../common/threads/thread.ts';
import type { FromJob, JobOrder } from './jobs.ts';

const LOWEST_PRIORITY = 19;

process.once('disconnect', end);
keepHeapSmall();
setPriority(Math.min(getPriority() + BELOW_REQUESTS, LOWEST_PRIORITY));
// Modules are imported after this: otherwise, each job would remove the types of all of them again.
enableCompileCache();
const { runJob } = await import('./run-job.ts');

process.once('message', async (order: JobOrder) => {
  let told: Promise<void> = Promise.resolve();
  await runJob(order, (message: FromJob) => {
    told = new Promise((resolve) => process.send!(message, () => resolve()));
  });
  await told;
  flushCompileCache();
  end();
});

/**
 * Ends this process and the readers of audio that it has started. An exit would wait for a read that never returns, such as
 * that of a network disk.
 */
function end(): void {
  process.kill(-process.pid, 'SIGKILL');
}
