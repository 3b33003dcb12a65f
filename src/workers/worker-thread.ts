/** A worker of `stave serve --workers N`: a whole service in a thread, started by pool.ts. */
import { enableCompileCache } from 'node:module';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';

if (!isMainThread) {
  // As in main.ts: what follows is compiled once only.
  enableCompileCache();
  const port = parentPort!;
  const { runWorker } = await import('./run-worker.ts');
  await runWorker(workerData as WorkerStart, {
    tell: (message: FromWorker) => port.postMessage(message),
    onTold: (listener: (message: ToWorker) => void) => port.on('message', listener),
    close: () => port.close(),
  });
}
