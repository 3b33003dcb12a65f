import { mkdtemp, open as openPath, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { documentFileIn } from '../../src/app/indexing/document-file-in.ts';
import { FirstCopy } from '../../src/app/indexing/first-copy.ts';
import { pointInLog } from '../../src/app/indexing/point-in-log.ts';
import type { Log } from '../../src/common/log.ts';
import { silentLog } from '../../src/common/log.ts';
import { ORIGINALS } from '../../src/features/catalog/streamed-audio.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { keptLog } from '../harness/log-lines.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { type Harness, harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-first-copy-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Begins as an import does. */
function begin({ store, clock }: Pick<Harness, 'store' | 'clock'>, log: Log = silentLog) {
  return FirstCopy.begin({ config: { dataFolder: folder }, store, clock, log }, ORIGINALS, 10);
}

/** Delivers in slices, as an import does. `meanwhile` runs before each of them. */
async function deliver(
  store: Store,
  copy: FirstCopy,
  tracks: readonly TrackDelivery[],
  meanwhile: (from: number) => Promise<unknown> = async () => {},
): Promise<void> {
  const session = await store.catalog.openDelivery(BY, 'batch', '', { onCreated: copy.add });
  for (let from = 0; from < tracks.length; from += 100) {
    await meanwhile(from);
    await session.deliver(tracks.slice(from, from + 100));
  }
  await session.close();
}

/** The columns of the file, and the bytes of its records. */
async function readFile(dataFolder: string) {
  const reading = documentFileIn(dataFolder, 'service', ORIGINALS).read();
  if (!('columns' in reading)) return reading;
  const { id: _, ...columns } = reading.columns;
  const file = await openPath(join(dataFolder, 'documents.copy'));
  const records = Buffer.alloc(columns.starts.at(-1)! * 8);
  await file.read(records, 0, records.length, 0);
  await file.close();
  return { columns, records, catalog: reading.catalog };
}

/** The file that a service writes of the store. */
async function fileOfService({ store, clock }: Harness) {
  const dataFolder = await mkdtemp(join(folder, 'service-'));
  await documentFileIn(dataFolder, 'service', ORIGINALS).write(
    {
      documents: store.catalog.allDocuments(),
      filters: () => store.catalog.filterTexts(),
      catalog: () => pointInLog(store),
      seq: () => store.changes.head(),
      expected: 1_000,
    },
    clock.now(),
  );
  return readFile(dataFolder);
}

for (const adapter of ADAPTERS) {
  describe(`the document file of a first import on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is the one that a service writes', async () => {
      const harness = await open();
      const { store, clock } = harness;
      const copy = (await begin(harness))!;
      const later = [{ from: clock.now() + 1 }];
      await deliver(store, copy, [
        ...deliveries(0, 250),
        delivery(250, { name: 'Größe "x" \u2028', artworkKey: `${'b'.repeat(64)}.png` }),
        delivery(251, { availability: later, tags: ['a\\b'], filters: [] }),
        delivery(252, {
          availability: [{ territories: ['DE'] }],
          audioKey: `${'a'.repeat(64)}.mp3`,
        }),
        // Its slug is taken.
        delivery(253, { slug: 'track-1', artists: [] }),
        delivery(254, { releasedAt: null, isrc: 'DEA123456789' }),
        // They create nothing.
        delivery(1),
        delivery(2, { name: 'Other' }),
      ]);
      await copy.end('batch');
      const file = await readFile(folder);
      expect(file).toEqual(await fileOfService(harness));
      expect(file).toMatchObject({ columns: { size: 254, seq: await store.changes.head() } });
    });

    it('says that what others change meanwhile is newer than the file', async () => {
      const harness = await open();
      const copy = (await begin(harness))!;
      await deliver(harness.store, copy, deliveries(0, 400), async (from) => {
        if (from === 200) await setTrackState(harness.store, trackId(7), 'taken_down', BY);
        if (from === 300) await importAll(harness.store, deliveries(900, 950), 'other');
      });
      await copy.end('batch');
      // The takedown is the first change after the file.
      expect(await readFile(folder)).toMatchObject({
        columns: { size: 400, seq: 200 },
        catalog: await pointInLog(harness.store),
      });
    });

    it('says that tracks after a default of their source are newer than the file', async () => {
      const harness = await open();
      const { sourceProvenance } = harness.store;
      const copy = (await begin(harness))!;
      const { source } = delivery(0);
      await deliver(harness.store, copy, deliveries(0, 400), async (from) => {
        if (from === 0) await sourceProvenance.set('other', { ai: 'none' }, BY);
        if (from === 0) await sourceProvenance.set(source, { trainingAllowed: false }, BY);
      });
      await copy.end('batch');
      expect(await readFile(folder)).toMatchObject({ columns: { size: 400, seq: 0 } });
    });

    it('is not written if a source has a default', async () => {
      const harness = await open();
      await harness.store.sourceProvenance.set('other', { ai: 'none' }, BY);
      expect(await begin(harness)).toBeUndefined();
    });

    it('says that what the import itself withdraws is newer than the file', async () => {
      const { store, clock } = await open();
      const copy = (await begin({ store, clock }))!;
      const session = await store.catalog.openDelivery(BY, 'batch', '', { onCreated: copy.add });
      await session.deliver(deliveries(0, 40));
      const { source } = delivery(0);
      expect(await session.withdraw(source, [trackId(3)])).toBe(1);
      await session.deliver(deliveries(40, 50));
      await session.close();
      await copy.end('batch');
      expect(await readFile(folder)).toMatchObject({ columns: { size: 50, seq: 40 } });
    });

    it('is not written beside a catalog, nor for a small one, nor by an import that fails', async () => {
      const harness = await open();
      const small = (await begin(harness))!;
      await small.end(null);
      const failed = (await begin(harness))!;
      await deliver(harness.store, failed, deliveries(0, 300));
      await failed.end(null);
      expect(await begin(harness)).toBeUndefined();
      expect(await readdir(folder)).toEqual([]);
    });

    it('does not stop the import if it cannot be written', async () => {
      const harness = await open();
      const { log, lines } = keptLog();
      const copy = (await begin(harness, log))!;
      await rm(folder, { recursive: true });
      await deliver(harness.store, copy, deliveries(0, 3_000));
      await copy.end('batch');
      expect(await harness.store.catalog.counts()).toMatchObject({ live: 3_000 });
      expect(lines).toMatchObject([
        { level: 'warn', message: 'the document file was not written' },
      ]);
    });
  });
}
