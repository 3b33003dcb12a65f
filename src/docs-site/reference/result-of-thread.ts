import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Runs a module in a thread of its own, and returns the one message that it posts. Rejects with an error of the thread. */
export async function resultOfThread<Result>(module: URL): Promise<Result> {
  const thread = new Worker(module);
  try {
    const [result] = (await once(thread, 'message')) as [Result];
    return result;
  } finally {
    await thread.terminate();
  }
}
