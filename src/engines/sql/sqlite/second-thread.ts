/** The thread of a SecondConnection. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../../common/clock.ts';
import { offerToStarter } from '../../../common/threads/calls.ts';
import type { SqlDatabase } from '../database.ts';
import { Database } from './database.ts';
import type { SecondThread, SecondThreadData } from './second-connection.ts';
import { StatementExecutor } from './statement-executor.ts';

const BUSY_TIMEOUT_MS = 8_000;
/** The checkpoints that one task makes, while others write: each copies what was written during the one before. */
const MAX_CHECKPOINTS = 5;

const { path, busyTimeoutMs = BUSY_TIMEOUT_MS, cacheKilobytes }: SecondThreadData = workerData;
const database = await Database.open(path, busyTimeoutMs, undefined, cacheKilobytes);
const executor = new StatementExecutor(database);
let sqlDatabase: Promise<SqlDatabase> | undefined;

const offer: SecondThread = {
  read: async (query) => (await database.read(() => executor.execute(query))).rows,
  /** Copies the WAL until nothing of it is left, so that the next write begins it anew. */
  checkpoint: () =>
    database.read(() => {
      for (let made = 0; made < MAX_CHECKPOINTS; made++) {
        if (database.checkpoint() === 0) return;
      }
    }),
  giveBack: (pages) => database.giveBack(pages),
  async run(module, ...args) {
    sqlDatabase ??= openSqlDatabase();
    const [{ run }, ownDatabase] = await Promise.all([import(module), sqlDatabase]);
    return run(ownDatabase, ...args);
  },
};
offerToStarter(offer);

/** Its modules are loaded when they are needed: a thread that only reads starts faster without them. */
async function openSqlDatabase(): Promise<SqlDatabase> {
  const { SqliteSqlDatabase } = await import('./sql-database.ts');
  return new SqliteSqlDatabase(database, { checkpoint: offer.checkpoint }, systemClock, () => {
    throw new Error('batches are not written in this thread');
  });
}
