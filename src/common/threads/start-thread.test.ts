import { once } from 'node:events';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { startThread, type ThreadOptions } from './start-thread.ts';

/** Runs a module in a thread until it ends. Returns its message. */
async function messageOf(source: string, options: ThreadOptions = {}): Promise<unknown> {
  const thread = startThread(`data:text/javascript,${encodeURIComponent(source)}`, options);
  const exited = once(thread, 'exit');
  const [message] = await once(thread, 'message');
  await exited;
  return message;
}

it('starts a thread with its data and with the compile cache', async () => {
  const source = `
    import { getCompileCacheDir } from 'node:module';
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage([workerData, typeof getCompileCacheDir()]);`;
  expect(await messageOf(source, { workerData: 7 })).toEqual([7, 'string']);
});

it.runIf(process.platform === 'linux')('lowers the priority of a thread alone', async () => {
  const own = getPriority();
  const source = `
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage(getPriority());`;
  expect(await messageOf(source, { lowerBy: 5 })).toBe(Math.min(own + 5, 19));
  expect(await messageOf(source)).toBe(own);
  expect(getPriority()).toBe(own);
});
