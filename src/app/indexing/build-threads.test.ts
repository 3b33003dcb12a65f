import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { BY, deliveries, importAll } from '../../../test/harness/deliveries.ts';
import { trackId } from '../../../test/harness/stores.ts';
import { setTrackState } from '../../../test/harness/track-state.ts';
import { systemClock } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';
import { buildFromStore, collectTracks } from '../../engines/search/build/build-index.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import { columnsOf } from '../../engines/search/segments/snapshot.ts';
import type { Store } from '../../features/store.ts';
import { DATABASE_FILE } from '../open/data-folder.ts';
import { openSqliteStore } from '../open/open-sqlite.ts';
import { BuildThreads, buildInThreads, runTask } from './build-threads.ts';

let folder: string;
let store: Store;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-build-'));
  store = await openSqliteStore({ path: join(folder, DATABASE_FILE), clock: systemClock });
  await importAll(store, deliveries(0, 900));
  await setTrackState(store, trackId(7), 'taken_down', BY);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Threads over a folder, of which the present one is the first. */
function threadsOver(dataFolder: string, count = 3) {
  const threads = new BuildThreads({
    count: count - 1,
    runHere: (task) => runTask(task, (rows) => collectTracks(store.catalog, rows)),
    data: { store: { dataFolder, database: null }, waitMs: 0 },
  });
  closing.push(() => threads.close());
  return threads;
}

/** The columns by name, and the description of the segment. */
function contents(columns: SegmentColumns) {
  return { meta: columns.meta, columns: [...columnsOf(columns)] };
}

it.each([
  [1, 65_536],
  [3, 100],
  [2, 1],
])(
  '%i threads with %i rows a part build the columns that one thread builds',
  async (count, rows) => {
    const built = await buildInThreads(store, threadsOver(folder, count), {}, rows);
    expect(contents(built)).toEqual(contents(await buildFromStore(store)));
  },
);

it('a failure of one thread fails the build, with the type of the error', async () => {
  const damaged = await mkdtemp(join(folder, 'damaged-'));
  await writeFile(join(damaged, DATABASE_FILE), 'this is not a database'.repeat(99));
  const threads = threadsOver(damaged);
  await expect(buildInThreads(store, threads, {}, 100)).rejects.toThrow(OperatorError);
  await expect(buildInThreads(store, threads, {}, 100)).rejects.toThrow(OperatorError);
});

it('a build fails when its threads are ended', async () => {
  const threads = threadsOver(folder);
  const failed = expect(buildInThreads(store, threads, {}, 10)).rejects.toThrow('ended');
  await threads.close();
  await failed;
});
