/** The entry point of a worker of `stave serve --workers N`. A worker is a complete service in a thread. */
import { enableCompileCache } from 'node:module';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';

if (!isMainThread) {
  // This keeps compiled modules for the next start, as in main.ts.
  enableCompileCache();
  const port = parentPort!;
  const { runWorker } = await import('./run-worker.ts');
  await runWorker(workerData as WorkerStart, {
    tell: (message: FromWorker) => port.postMessage(message),
    onTold: (listener: (message: ToWorker) => void) => port.on('message', listener),
    close: () => port.close(),
  });
}
