/** The thread of a SecondConnection. */
import { parentPort, workerData } from 'node:worker_threads';
import { serializeError } from '../../../common/threads/serialized-error.ts';
import { Database } from './database.ts';
import type { SecondResult, SecondTask, SecondThreadData } from './second-connection.ts';
import { StatementExecutor } from './statement-executor.ts';

/** How long a read waits for a lock of another process. */
const BUSY_TIMEOUT_MS = 8_000;
/** The checkpoints that one task makes, while others write: each copies what was written during the one before. */
const MAX_CHECKPOINTS = 5;

const { path, cacheKilobytes }: SecondThreadData = workerData;
const database = await Database.open(path, BUSY_TIMEOUT_MS, undefined, cacheKilobytes);
const executor = new StatementExecutor(database);
let last: Promise<void> = Promise.resolve();

parentPort!.on('message', (task: SecondTask) => {
  last = last.then(async () => {
    let result: SecondResult;
    try {
      result = { rows: await rowsOf(task) };
    } catch (error) {
      result = { failure: serializeError(error) };
    }
    parentPort!.postMessage(result);
  });
});

async function rowsOf(task: SecondTask): Promise<unknown[]> {
  if (task !== 'checkpoint') return (await database.read(() => executor.execute(task))).rows;
  await database.read(checkpoint);
  return [];
}

/** Copies the WAL until nothing of it is left, so that the next write begins it anew. */
function checkpoint(): void {
  for (let made = 0; made < MAX_CHECKPOINTS; made++) {
    if (database.checkpoint() === 0) return;
  }
}
