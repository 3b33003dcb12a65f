import { cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogIndex } from '../../src/catalog/catalog-index.ts';
import { DATABASE_FILE, SNAPSHOT_FILE } from '../../src/data-folder.ts';
import { IndexJobs } from '../../src/index-jobs.ts';
import { ServiceIndexSource } from '../../src/index-source.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { BY, deliveries, delivery, importAll } from '../contract/deliveries.ts';

let folder: string;
let told: { message: string; fields: Record<string, unknown> }[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-index-'));
  told = [];
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

/** One process's source over a data folder, threads for every size of catalog. */
function sourceOver(store: Store, dataFolder = folder, clock: Clock = systemClock) {
  const tell = (fields: object, message: string) => {
    told.push({ message, fields: fields as Record<string, unknown> });
  };
  const log = { debug() {}, info: tell, warn: tell, error: tell };
  const location = { dataFolder, database: null };
  const maker = new IndexJobs({ location, clock, log });
  const source = new ServiceIndexSource({ store, maker, threadFrom: 1 });
  closing.push(() => source.close());
  return source;
}

/** Opens an index as a start does, and waits until what it built is kept. */
async function start(store: Store, dataFolder = folder, clock: Clock = systemClock) {
  told = [];
  const source = sourceOver(store, dataFolder, clock);
  const { index, seq } = await source.open();
  await source.close();
  const { from } = told.find(({ message }) => message === 'search index ready')!.fields;
  const passedOver = told.find(({ message }) => message.includes('passed over'))?.fields.reason;
  return { index, seq, from, passedOver };
}

const snapshotPath = (dataFolder = folder) => join(dataFolder, SNAPSHOT_FILE);

function everything(index: CatalogIndex): number[] {
  return index.search({}, { offset: 0, limit: 10_000 }).tracks;
}

describe('the start of a service', () => {
  it('builds the index, keeps it, and the next time reads what it kept', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 500));
    const first = await start(store);
    expect(first).toMatchObject({ from: 'store', passedOver: undefined });
    expect(first.seq).toBe(await store.changes.head());
    const second = await start(store);
    expect(second).toMatchObject({ from: 'snapshot', seq: first.seq });
    expect(everything(second.index)).toEqual(everything(first.index));
    expect((await stat(snapshotPath())).mode & 0o777).toBe(0o600);
  });

  it('goes on from the snapshot’s place in the log', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    const { seq } = await start(store);
    await importAll(store, [delivery(50)], 'later');
    const again = await start(store);
    expect(again).toMatchObject({ from: 'snapshot', seq });
    const after = await store.changes.since(seq, ['track'], 10);
    expect(after.map(({ entityId }) => entityId)).toEqual([delivery(50).id]);
  });

  it('builds anew where the snapshot is cut off', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    await truncate(snapshotPath(), 5_000);
    expect(await start(store)).toMatchObject({
      from: 'store',
      passedOver: expect.stringMatching(/ends too soon|length is wrong|damaged/),
    });
    expect(await start(store)).toMatchObject({ from: 'snapshot' });
  });

  it('builds anew where another version wrote the snapshot', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const bytes = await readFile(snapshotPath(), 'latin1');
    await writeFile(snapshotPath(), bytes.replace('"format":', '"formar":'), 'latin1');
    // The head's checksum does not fit any more, which is what a stranger's file looks like.
    expect(await start(store)).toMatchObject({ from: 'store', passedOver: 'its head is damaged' });
  });

  it('builds anew where the snapshot is of another catalog', async () => {
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
      passedOver: 'it is of another catalog, or of another past of this one',
    });
  });

  it('builds anew where the database is an older copy that took another way since', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const copy = await mkdtemp(join(tmpdir(), 'stave-index-'));
    closing.push(() => rm(copy, { recursive: true }));
    await store.backup(join(copy, DATABASE_FILE));
    // The one catalog goes on, is kept, and is lost; its copy goes on otherwise, as far or farther.
    await importAll(store, deliveries(50, 60));
    await rm(snapshotPath());
    await start(store);
    const copied = await openStore(copy);
    await importAll(copied, deliveries(70, 90));
    await cp(snapshotPath(), snapshotPath(copy));
    const restarted = await start(copied, copy);
    expect(restarted).toMatchObject({ from: 'store', passedOver: expect.stringContaining('past') });
    expect(restarted.index.size).toBe(70);
  });

  it('builds anew where the log may have forgotten what came after the snapshot', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start(store);
    const inThreeMonths = { now: () => systemClock.now() + 90 * 86_400_000 };
    expect(await start(store, folder, inThreeMonths)).toMatchObject({
      from: 'store',
      passedOver: 'it is too old, or of the future',
    });
  });

  it('keeps what a merge made', async () => {
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

  it('says so where the snapshot cannot be written, and serves all the same', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    // A folder in its place cannot be replaced by a file.
    await cp(join(folder, DATABASE_FILE), join(snapshotPath(), 'x'));
    told = [];
    const source = sourceOver(store);
    const { index } = await source.build(0);
    await source.close();
    expect(index.size).toBe(50);
    expect(told.map(({ message }) => message)).toContain(
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
});
