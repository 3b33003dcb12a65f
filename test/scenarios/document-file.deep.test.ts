import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentCopies, DocumentJobs } from '../../src/app/indexing/document-copies.ts';
import { DATABASE_FILE, DOCUMENTS_FILE } from '../../src/app/open/data-folder.ts';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import type { DocumentColumns } from '../../src/features/catalog/document-copy.ts';
import { LiveCatalog } from '../../src/features/catalog/live/live-catalog.ts';
import { LiveLanguages } from '../../src/features/catalog/live/live-languages.ts';
import { DocumentFile } from '../../src/features/catalog/store/disk/document-file.ts';
import { ORIGINALS } from '../../src/features/catalog/streamed-audio.ts';
import { parseDocument } from '../../src/features/catalog/track-document.ts';
import type { Store } from '../../src/features/store.ts';
import { someTracks, start as startProcess, staveProcess } from '../harness/cli.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { indexSource } from '../harness/index-source.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

let folder: string;
let logged: { message: string; fields: Record<string, unknown> }[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-documents-'));
  logged = [];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

async function openStore(dataFolder = folder): Promise<Store> {
  const path = join(dataFolder, DATABASE_FILE);
  const store = await openSqliteStore({ path, clock: systemClock });
  closing.push(() => store.close());
  return store;
}

const note = (fields: object, message: string) => {
  logged.push({ message, fields: fields as Record<string, unknown> });
};
const log = { debug() {}, info: note, warn: note, error: note };

function jobs(dataFolder = folder, clock: Clock = systemClock): DocumentJobs {
  const location = { dataFolder, database: null };
  const made = new DocumentJobs({ location, streams: ORIGINALS, clock, log });
  closing.push(() => made.close());
  return made;
}

const columnsOf = (maker: DocumentJobs) =>
  new Promise<DocumentColumns>((resolve) => maker.onColumns(resolve));

/** Opens the document file like a start does, and returns where it came from. */
async function start(dataFolder = folder, clock: Clock = systemClock) {
  logged = [];
  const maker = jobs(dataFolder, clock);
  const made = columnsOf(maker);
  maker.request(false);
  const { size, seq } = await made;
  await maker.close();
  const { from } = logged.find(({ message }) => message === 'document file ready')!.fields;
  const refused = logged.find(({ message }) => message.includes('was not used'))?.fields.reason;
  return { from, size, seq, refused };
}

/** A node with a catalog and copies of its documents. The test calls `catchUp` to apply changes. */
async function node(store: Store) {
  const catalog = new LiveCatalog({
    store: store.catalog,
    source: indexSource(store),
    languages: new LiveLanguages({ store: store.languages, original: 'en' }),
  });
  await catalog.load();
  const copies = new DocumentCopies({
    catalog,
    changes: store.changes,
    maker: jobs(),
    open: (columns) => DocumentFile.open(join(folder, DOCUMENTS_FILE), columns, log),
    log,
    requests: true,
    copyFrom: 10,
  });
  closing.push(() => copies.close());
  const nameOf = async (number: number) => {
    const [rowId] = catalog.locate([delivery(number).id], {});
    const [document] = rowId === undefined ? [] : await catalog.documents([rowId]);
    return document && parseDocument(document).name;
  };
  const catchUp = async () => {
    await catalog.apply(await store.changes.since(catalog.position, ['track'], 10_000));
  };
  const changed = () => catalog.documentState.changedSinceCopy;
  return { catalog, copies, nameOf, catchUp, changed };
}

const path = (dataFolder = folder) => join(dataFolder, DOCUMENTS_FILE);

describe('the start of a service', () => {
  it('writes the document file, and opens it the next time', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 500));
    const head = await store.changes.head();
    expect(await start()).toEqual({ from: 'store', size: 500, seq: head, refused: undefined });
    await importAll(store, deliveries(500, 510), 'later');
    expect(await start()).toEqual({ from: 'file', size: 500, seq: head, refused: undefined });
    expect((await stat(path())).mode & 0o777).toBe(0o600);
  });

  it('writes a new file if the last one is truncated, of another catalog, or too old', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await start();
    const bytes = await readFile(path());
    await truncate(path(), bytes.length - 9);
    expect(await start()).toMatchObject({
      from: 'store',
      refused: 'it is incomplete or something else',
    });
    const inThreeMonths = { now: () => systemClock.now() + 90 * 86_400_000 };
    expect(await start(folder, inThreeMonths)).toMatchObject({
      from: 'store',
      refused: 'it is too old, or its time is in the future',
    });
    const other = await mkdtemp(join(tmpdir(), 'stave-documents-'));
    closing.push(() => rm(other, { recursive: true }));
    await importAll(await openStore(other), deliveries(0, 50));
    await cp(path(), path(other));
    expect(await start(other)).toMatchObject({
      from: 'store',
      refused: 'it belongs to another catalog, or to another history of this one',
    });
  });

  it('removes the file that a killed process has left incomplete', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    await writeFile(`${path()}.unfinished`, 'the first documents');
    expect(await start()).toMatchObject({ from: 'store', size: 50 });
    expect((await readdir(folder)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('opens the file that the first import has written, and not one of an import that was killed', async () => {
    await writeFile(join(folder, 'tracks.ndjson'), someTracks(30_000));
    const given = ['import', join(folder, 'tracks.ndjson'), '--source', 'test'];
    const killed = startProcess(folder, given);
    const isWriting = async () =>
      (await readdir(folder)).some((name) => name.includes('unfinished'));
    await until(isWriting, 'the unfinished file');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const store = await openStore();
    const { live } = await store.catalog.counts();
    // Until then, the import might go on.
    const later = { now: () => systemClock.now() + 61_000 };
    expect(await start(folder, later)).toMatchObject({ from: 'store', size: live });
    const other = await mkdtemp(join(tmpdir(), 'stave-documents-'));
    closing.push(() => rm(other, { recursive: true }));
    expect((await staveProcess(other, given, { env: { STAVE_STREAM: 'original' } })).code).toBe(0);
    expect(await start(other)).toMatchObject({ from: 'file', size: 30_000 });
  });

  it('serves from the database if the file cannot be written', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    // A file cannot replace a folder of the same name.
    await cp(join(folder, DATABASE_FILE), join(path(), 'x'));
    const { copies, nameOf, changed } = await node(store);
    copies.start();
    const failed = 'the document file was not written: the database is read instead';
    await until(() => logged.some(({ message }) => message === failed), 'the failure');
    expect(await nameOf(7)).toBe('Track 7');
    expect(changed()).toBeUndefined();
  });
});

describe('a running service', () => {
  it('shows changes that are made while the file is written, and after', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 3_000));
    const { catalog, copies, nameOf, catchUp, changed } = await node(store);
    copies.start();
    for (let number = 0; number < 1_500 && changed() === undefined; number++) {
      await importAll(store, [delivery(number, { name: `Renamed ${number}` })], `batch ${number}`);
      await setTrackState(store, delivery(2_999 - number).id, 'taken_down', BY);
      await catchUp();
      expect(await nameOf(number)).toBe(`Renamed ${number}`);
      expect(await nameOf(2_999 - number)).toBeUndefined();
    }
    await until(() => changed() !== undefined, 'the file');
    await setTrackState(store, delivery(2_999).id, 'live', BY);
    await catchUp();
    expect(await nameOf(2_999)).toBe('Track 2999');
    expect(await nameOf(0)).toBe('Renamed 0');
    expect(await nameOf(1_500)).toBe('Track 1500');
    expect(catalog.documentState.reads.file).toBeGreaterThan(0);
  });

  it('writes a new file when many tracks have changed', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    const { copies, nameOf, catchUp, changed } = await node(store);
    copies.start();
    await until(() => changed() === 0, 'the first file');
    const renamed = Array.from({ length: 6_000 }, (_, i) => delivery(i, { name: `Renamed ${i}` }));
    await importAll(store, renamed, 'later');
    await catchUp();
    copies.check();
    expect(changed()).toBe(6_000);
    await until(() => changed() === 0, 'the second file');
    expect(await nameOf(5_999)).toBe('Renamed 5999');
    const ready = logged.filter(({ message }) => message === 'document file ready');
    expect(ready.map(({ fields }) => fields.from)).toEqual(['store', 'store']);
  });

  it('ends while the file is being written', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 2_000));
    const { copies } = await node(store);
    copies.start();
    await copies.close();
    expect(await start()).toMatchObject({ size: 2_000 });
  });

  it('reads the database for documents that are damaged in the file', async () => {
    const store = await openStore();
    await importAll(store, deliveries(0, 50));
    const { catalog, copies, nameOf, changed } = await node(store);
    copies.start();
    await until(() => changed() === 0, 'the file');
    await truncate(path(), 0);
    expect(await nameOf(7)).toBe('Track 7');
    expect(catalog.documentState.reads).toEqual({ file: 0, memory: 0, store: 1 });
  });
});
