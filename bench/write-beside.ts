import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../src/app/open/open-store.ts';
import { systemClock } from '../src/common/clock.ts';
import { silentLog } from '../src/common/log.ts';
import type { StoreLocation } from '../src/engines/sql/setting-store.ts';
import { spread } from './figures.ts';
import type { Row } from './row.ts';

/** The location of the store that settings of the environment name. */
export function locationOf(settings: Record<string, string>): StoreLocation {
  const url = settings.STAVE_DATABASE_URL;
  return {
    dataFolder: settings.STAVE_DATA!,
    database: url === undefined ? null : { url, pool: 4 },
  };
}

/** Writes a row into a store every 20 ms, and measures how long each write waits. `what` describes the writes. */
export function writeBeside(location: StoreLocation, what: string): { stop(): Promise<Row> } {
  const waits: number[] = [];
  let isWriting = true;
  const writing = (async () => {
    const store = await openStore(location, { clock: systemClock, log: silentLog });
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
        what: `${what}: ${waits.length}, longest wait`,
        figure: `${Math.round(wait.max)} ms (median ${wait.median.toFixed(1)} ms)`,
        goal: 'never above 100 ms',
      };
    },
  };
}
