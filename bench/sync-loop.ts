/** The thread of `startSyncing`: appends to a file and syncs it, until a message ends it. Then it posts the times in ms. */
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const BYTES = Buffer.alloc(64 * 1024, 1);
/** The file is written again from its beginning after this many appends. */
const APPENDS = 256;

const { file }: { file: string } = workerData;
let isStopping = false;
parentPort!.once('message', () => {
  isStopping = true;
});

await using synced = await open(file, 'w');
const times: number[] = [];
for (let n = 0; !isStopping; n++) {
  const startedAt = performance.now();
  await synced.write(BYTES, 0, BYTES.length, (n % APPENDS) * BYTES.length);
  await synced.datasync();
  times.push(performance.now() - startedAt);
  await sleep(10);
}
parentPort!.postMessage(times);
