import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../src/app/open/open-postgres.ts';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import type { Clock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import type { Store } from '../../src/features/store.ts';
import { EmptiedDatabase } from './emptied-database.ts';
import { createDatabase, POSTGRES_URL, TEST_STORE } from './services.ts';

/** A place in which a store can be created, empty at first. The test removes it at the end. */
export interface Place {
  /** The location that another process needs to open the same store. */
  location: string;
  dispose(): Promise<void>;
  /** Set where it takes less time to empty the place, once a store was opened, than to provide another one. */
  emptied?: EmptiedDatabase;
}

/** One kind of system of record. The whole contract suite runs on each. */
export interface Adapter {
  name: string;
  /** Whether other machines can reach it, so that its own tools back it up. */
  isServer: boolean;
  provide(): Promise<Place>;
  open(location: string, clock: Clock): Promise<Store>;
}

const POSTGRES: Adapter = {
  name: 'postgres',
  isServer: true,
  async provide() {
    const database = await createDatabase();
    return {
      location: database.url,
      dispose: () => database.drop(),
      emptied: new EmptiedDatabase(database.url),
    };
  },
  open: (url, clock) => openPostgresStore({ url, pool: 4, clock, log: silentLog }),
};

const SQLITE: Adapter = {
  name: 'sqlite',
  isServer: false,
  async provide() {
    const folder = await mkdtemp(join(tmpdir(), 'stave-contract-'));
    return {
      location: join(folder, 'stave.db'),
      dispose: () => rm(folder, { recursive: true }),
    };
  },
  open: (path, clock) => openSqliteStore({ path, clock }),
};

/** The systems of record of this run: `npm test` runs the suite on SQLite, the deep tests on PostgreSQL. */
export const ADAPTERS: readonly Adapter[] = [
  ...(TEST_STORE === 'postgres' ? [] : [SQLITE]),
  ...(POSTGRES_URL === undefined ? [] : [POSTGRES]),
];

/** The adapter with that name, for child processes, which get the name as an argument. */
export function adapterNamed(name: string | undefined): Adapter {
  const adapter = ADAPTERS.find((one) => one.name === name);
  if (adapter === undefined) throw new Error(`no storage adapter is called ${name}`);
  return adapter;
}
