import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DATABASE_FILE } from '../src/app/data-folder.ts';
import { systemClock } from '../src/common/clock.ts';
import { openSqliteStore } from '../src/storage/sqlite/open.ts';
import { spread } from './figures.ts';
import type { Row } from './row.ts';

/** Writes a row into the SQLite store of a data folder every 20 ms, and measures how long each write waits. */
export function writeBeside(dataFolder: string): { stop(): Promise<Row> } {
  const waits: number[] = [];
  let isWriting = true;
  const writing = (async () => {
    const store = await openSqliteStore({
      path: join(dataFolder, DATABASE_FILE),
      clock: systemClock,
    });
    for (let i = 0; isWriting; i++) {
      const startedAt = performance.now();
      await store.settings.set('bench', String(i));
      waits.push(performance.now() - startedAt);
      await delay(20);
    }
    await store.close();
  })();
  return {
    async stop() {
      isWriting = false;
      await writing;
      const wait = spread(waits);
      return {
        what: `writes of another process during the import into SQLite: ${waits.length}, longest wait`,
        figure: `${Math.round(wait.max)} ms (median ${wait.median.toFixed(1)} ms)`,
        goal: 'never above 100 ms',
      };
    },
  };
}
