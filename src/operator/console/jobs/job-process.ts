/** The process of one job of the console. jobs.ts starts it, and sends it the job. */
import '../../../../bin/load-fast.mjs';
import { flushCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { BELOW_REQUESTS, keepHeapSmall } from '../../../common/threads/thread.ts';
import type { FromJob, JobOrder } from './jobs.ts';

const LOWEST_PRIORITY = 19;

process.once('disconnect', end);
keepHeapSmall();
setPriority(Math.min(getPriority() + BELOW_REQUESTS, LOWEST_PRIORITY));
// Not before the priority is lower, because it loads most modules.
const { runJob } = await import('./run-job.ts');

process.once('message', async (order: JobOrder) => {
  let sent: Promise<void> = Promise.resolve();
  await runJob(order, (message: FromJob) => {
    sent = new Promise((resolve) => process.send!(message, () => resolve()));
  });
  await sent;
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
