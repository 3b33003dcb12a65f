import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startThread } from './start-thread.ts';

it('starts a thread with its data and with the compile cache', async () => {
  const source = `
    import { getCompileCacheDir } from 'node:module';
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage([workerData, typeof getCompileCacheDir()]);`;
  const thread = startThread(`data:text/javascript,${encodeURIComponent(source)}`, {
    workerData: 7,
  });
  const exited = once(thread, 'exit');
  expect(await once(thread, 'message')).toEqual([[7, 'string']]);
  await exited;
});
