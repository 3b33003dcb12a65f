import { cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IndexJobs, startOpening } from '../../src/app/indexing/index-jobs.ts';
import { ServiceIndexSource } from '../../src/app/indexing/index-source.ts';
import { DATABASE_FILE, SNAPSHOT_FILE } from '../../src/app/open/data-folder.ts';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import type { Clock } from '../../src/common/clock.ts';
import { systemClock } from '../../src/common/clock.ts';
import { OperatorError } from '../../src/common/errors.ts';
import { silentLog } from '../../src/common/log.ts';
import { loggedWaitPolicy } from '../../src/common/work/wait-policy.ts';
import type { CatalogIndex } from '../../src/engines/search/catalog-index.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { keptLog } from '../harness/log-lines.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

let folder: string;
let logged: { message: string; fields: Record<string, unknown> }[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-index-'));
  logged = [];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

async function openStore(dataFolder = folder): Promise<Store> {
  const store = await openSqliteStore({
    path: join(dataFolder, DATABASE_FILE),
    clock: systemClock,
  });
  closing.push(() => store.close());
  return store;
}

/** Makes the index source of one process over a data folder, with threads for every size of catalog. */
function sourceOver(store: Store, dataFolder = folder, clock: Clock = systemClock) {
  const note = (fields: object, message: string) => {
    logged.push({ message, fields: fields as Record<string, unknown> });
  };
  const log = { debug() {}, info: note, warn: note, error: note };
  const location = { dataFolder, database: null };
  const maker = new IndexJobs({ location, clock, log });
  const source = new ServiceIndexSource({ store, maker, threadFrom: 1 });
  closing.push(() => source.close());
  return source;
}

/** Opens an index like a start does, and waits until the snapshot is written. */
async function start(store: Store, dataFolder = folder, clock: Clock = systemClock) {
  logged = [];
  const source = sourceOver(store, dataFolder, clock);
  const { index, seq } = await source.open();
  await source.close();
  const { from } = logged.find(({ message }) => message === 'search index ready')!.fields;
  const refused = logged.find(({ message }) => message.includes('was not used'))?.fields.reason;
  return { index, seq, from, refused };
}

const snapshotPath = (dataFolder = folder) => join(dataFolder, SNAPSHOT_FILE);

function everything(index: CatalogIndex): number[] {
  return index.search({}, { offset: 0, limit: 10_000 }).rowIds;
}

describe('the start of a service', () => {
  it('builds the index, writes a snapshot, and reads it the next time', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 500));
    const first = await start(store);
    expect(first).toMatchObject({ from: 'store', refused: undefined });
    expect(first.seq).toBe(await store.changes.head());
    const second = await start(store);
    expect(second).toMatchObject({ from: 'snapshot', seq: first.seq });
    expect(everything(second.index)).toEqual(everything(first.index));
    expect((await stat(snapshotPath())).mode & 0o777).toBe(0o600);
  });

  it('begins to open it before it is needed, if there are copies of a large catalog', async () => {
    expect(startOpening(folder)).toBeUndefined();
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const { log, lines } = keptLog();
    const location = { dataFolder: folder, database: null };
    const jobs = new IndexJobs({
      ...{ location, clock: systemClock, log },
      opening: startOpening(folder),
    });
    closing.push(() => jobs.close());
    jobs.begin();
    const ready = { message: 'search index ready', from: 'snapshot', tracks: 50 };
    await until(() => lines.length > 0, 'the index');
    expect(lines).toMatchObject([ready]);
    expect((await jobs.open()).meta.size).toBe(50);
    expect(lines).toHaveLength(1);
    // A later call opens it again.
    expect((await jobs.open()).meta.size).toBe(50);
    expect(lines).toMatchObject([ready, ready]);
  });

  it('continues from the snapshot’s position in the log', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    const { seq } = await start(store);
    await importAll(store, [delivery(50)], 'later');
    const again = await start(store);
    expect(again).toMatchObject({ from: 'snapshot', seq });
    const after = await store.changes.since(seq, ['track'], 10);
    expect(after.map(({ entityId }) => entityId)).toEqual([delivery(50).id]);
  });

  it('rebuilds the index if the snapshot is truncated', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    await truncate(snapshotPath(), 5_000);
    expect(await start(store)).toMatchObject({
      from: 'store',
      refused: expect.stringMatching(/ends too soon|length is wrong|damaged/),
    });
    expect(await start(store)).toMatchObject({ from: 'snapshot' });
  });

  it('rebuilds the index if another version wrote the snapshot', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const bytes = await readFile(snapshotPath(), 'latin1');
    await writeFile(snapshotPath(), bytes.replace('"format":', '"formar":'), 'latin1');
    // The checksum of the head does not match, as in a file of another program.
    expect(await start(store)).toMatchObject({ from: 'store', refused: 'its head is damaged' });
  });

  it('rebuilds the index if the snapshot is of another catalog', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const other = await mkdtemp(join(tmpdir(), 'stave-index-'));
    closing.push(() => rm(other, { recursive: true }));
    const otherStore = await openStore(other);
    await importAll(otherStore, deliveries(0, 50));
    await cp(snapshotPath(), snapshotPath(other));
    expect(await start(otherStore, other)).toMatchObject({
      from: 'store',
      refused: 'it belongs to another catalog, or to another history of this one',
    });
  });

  it('rebuilds the index if the database is an older copy with other changes since', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const copy = await mkdtemp(join(tmpdir(), 'stave-index-'));
    closing.push(() => rm(copy, { recursive: true }));
    await store.backup!(join(copy, DATABASE_FILE));
    // The catalog changes, is written to a snapshot, and is lost; its copy has as many other changes, or more.
    await importAll(store, deliveries(50, 60));
    await rm(snapshotPath());
    await start(store);
    const copied = await openStore(copy);
    await importAll(copied, deliveries(70, 90));
    await cp(snapshotPath(), snapshotPath(copy));
    const restarted = await start(copied, copy);
    expect(restarted).toMatchObject({ from: 'store', refused: expect.stringContaining('history') });
    expect(restarted.index.size).toBe(70);
  });

  it('rebuilds the index if the snapshot has a part of changes that the database has lost', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    const source = sourceOver(store);
    const { index } = await source.open();
    await importAll(store, deliveries(50, 1_200), 'later');
    const copy = await mkdtemp(join(tmpdir(), 'stave-index-'));
    closing.push(() => rm(copy, { recursive: true }));
    await store.backup!(join(copy, DATABASE_FILE));
    // A takedown hides its track in the merged index, which is written before it has applied the takedown.
    const head = await store.changes.head();
    const ids = deliveries(0, 1_200).map(({ id }) => id);
    await setTrackState(store, ids[0]!, 'taken_down', BY);
    index.hide([ids[0]!], head + 1);
    await index.apply(await store.catalog.indexEntries(ids.slice(1)), [], head);
    await (index as unknown as { settled(): Promise<void> }).settled();
    await source.close();
    await cp(snapshotPath(), snapshotPath(copy));
    const restarted = await start(await openStore(copy), copy);
    expect(restarted).toMatchObject({ from: 'store', refused: expect.stringContaining('history') });
    expect(restarted.index.size).toBe(1_200);
  });

  it('rebuilds the index if changes since the snapshot may have expired', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const inThreeMonths = { now: () => systemClock.now() + 90 * 86_400_000 };
    expect(await start(store, folder, inThreeMonths)).toMatchObject({
      from: 'store',
      refused: 'it is too old, or its time is in the future',
    });
  });

  it('writes a snapshot after a merge', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    const source = sourceOver(store);
    const { index, seq } = await source.open();
    await importAll(store, deliveries(50, 1_200), 'later');
    const changes = await store.changes.since(seq, ['track'], 5_000);
    const ids = changes.map(({ entityId }) => entityId);
    const head = await store.changes.head();
    await index.apply(await store.catalog.indexEntries(ids), [], head);
    await (index as unknown as { settled(): Promise<void> }).settled();
    await source.close();
    const again = await start(store);
    expect(again).toMatchObject({ from: 'snapshot', seq: head });
    expect(everything(again.index)).toEqual(everything(index));
  });

  it('logs that the snapshot cannot be written, and serves', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    // A file cannot replace a folder of the same name.
    await cp(join(folder, DATABASE_FILE), join(snapshotPath(), 'x'));
    logged = [];
    const source = sourceOver(store);
    const { index } = await source.build(0);
    await source.close();
    expect(index.size).toBe(50);
    expect(logged.map(({ message }) => message)).toContain(
      'the snapshot of the search index was not written',
    );
  });
});

describe('the end of a service', () => {
  it('ends a thread that still builds', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 2_000), BY);
    const source = sourceOver(store);
    const building = source.build(0);
    const failed = expect(building).rejects.toThrow('ended');
    await source.close();
    await failed;
  });

  it.each([
    ['keeps its index current until it is closed, if it has served', true],
    ['ends its threads at once, if it has not served yet', false],
  ])('%s', async (_what, isServing) => {
    const store = await openStore();
    await importAll(store, deliveries(0, 10));
    const stop = new AbortController();
    const waitPolicy = loggedWaitPolicy(silentLog, 60_000, stop.signal);
    const location = { dataFolder: folder, database: null };
    const maker = new IndexJobs({ location, clock: systemClock, log: silentLog, waitPolicy });
    closing.push(() => maker.close());
    if (isServing) waitPolicy.end();
    stop.abort();
    const changes = maker.changes(0);
    if (isServing) expect((await changes).columns.meta.size).toBe(10);
    else await expect(changes).rejects.toThrow('ended');
  });
});

it('an error in the thread keeps its type', async () => {
  await writeFile(
    join(folder, DATABASE_FILE),
    'this is not a database, whatever its name'.repeat(99),
  );
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const location = { dataFolder: folder, database: null };
  const maker = new IndexJobs({ location, clock: systemClock, log });
  closing.push(() => maker.close());
  const error = await maker.open().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OperatorError);
});
