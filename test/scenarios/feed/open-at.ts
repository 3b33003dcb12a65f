import { DATABASE_FILE } from '../../../src/app/open/data-folder.ts';
import { openPostgresStore } from '../../../src/app/open/open-postgres.ts';
import { openSqliteStore } from '../../../src/app/open/open-sqlite.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { silentLog } from '../../../src/common/log.ts';
import { loggedWaitPolicy } from '../../../src/common/work/wait-policy.ts';
import type { Store } from '../../../src/features/store.ts';

/** Where the store of a scenario is: in PostgreSQL, or else in a data folder. */
export interface Place {
  data: string;
  databaseUrl: string | undefined;
}

/** Writers wait for each other, and for a busy machine, as imports do. */
const WAIT_MS = 300_000;

/** Opens the store with a clock. Close it. */
export function openAt({ data, databaseUrl }: Place, clock: Clock): Promise<Store> {
  const waitPolicy = loggedWaitPolicy(silentLog, WAIT_MS);
  if (databaseUrl !== undefined) {
    return openPostgresStore({
      url: databaseUrl,
      pool: 1,
      clock,
      log: silentLog,
      waitPolicy,
    });
  }
  const path = `${data}/${DATABASE_FILE}`;
  return openSqliteStore({ path, clock, waitPolicy, cacheKilobytes: 4_096 });
}
