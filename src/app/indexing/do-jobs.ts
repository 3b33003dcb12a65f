import { isMainThread, parentPort } from 'node:worker_threads';
import { serializeError } from '../../common/threads/serialized-error.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { JobMessage } from './job-thread.ts';

/**
 * Does the jobs that a JobThread sends to this thread, and frees the memory of each one after it. Does nothing in the
 * main thread, for tests.
 */
export function doJobs<Job, News>(
  run: (job: Job, tell: (news: News) => void) => Promise<void>,
): void {
  if (isMainThread) return;
  const port = parentPort!;
  const post = (message: JobMessage<News>) => port.postMessage(message);
  port.on('message', (job: Job | 'end') => {
    if (job === 'end') {
      port.close();
      return;
    }
    run(job, (news) => post({ news }))
      .then(
        () => post({ done: true }),
        (error: unknown) => post({ failure: serializeError(error) }),
      )
      .then(() => setImmediate(collectGarbage));
  });
}
