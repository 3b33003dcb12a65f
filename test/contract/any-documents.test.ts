import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedId } from '../../src/common/ids.ts';
import { silentLog } from '../../src/common/log.ts';
import { DocumentFile } from '../../src/features/catalog/store/disk/document-file.ts';
import { DocumentFileWriter } from '../../src/features/catalog/store/disk/document-writer.ts';
import { FILTER_TYPES } from '../../src/features/catalog/track-values.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

/** Any well-formed text: with NUL, other control characters, and characters beyond the first plane. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\0', '\u2028', '\ue000', '"', '\\', '\ufeff', '\x7f', '😀') }),
);
const words = fc.uniqueArray(anyText, { maxLength: 8 });
const anyDelivery = fc.record({
  name: anyText,
  bpm: anyText,
  songKey: words,
  timeSignature: anyText,
  durationSeconds: fc.constantFrom(0, 1, 10_000_000),
  region: anyText,
  releasedAt: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  hasVocals: fc.boolean(),
  isPRO: fc.boolean(),
  tags: words,
  isrc: anyText,
  artists: fc.array(fc.record({ name: anyText, isPrimary: fc.boolean() }), { maxLength: 8 }),
  filters: fc.uniqueArray(fc.record({ type: fc.constantFrom(...FILTER_TYPES), name: anyText }), {
    maxLength: 8,
  }),
  audioKey: fc.option(fc.constant('a.mp3')),
  artworkKey: fc.option(fc.constant('a.png')),
});

for (const adapter of ADAPTERS) {
  describe(`any documents on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are the same from the store and from the document file, and have what was delivered', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'stave-any-documents-'));
      const { store } = await open();
      const writer = new DocumentFileWriter({
        path: join(folder, 'documents'),
        madeBy: 'a test',
        by: 'service',
      });
      const property = fc.asyncProperty(
        fc.array(anyDelivery, { minLength: 1, maxLength: 5 }),
        async (made) => {
          const delivered = made.map(({ artists, ...values }, n) =>
            delivery(n, {
              ...values,
              artists: artists.map(({ name, isPrimary }) => ({
                ...{ id: derivedId('artist', name), name, isPrimary },
                ...{ role: 'COMPOSER', externalId: null },
              })),
            }),
          );
          await importAll(store, delivered, derivedId('batch', String(await store.changes.head())));
          const columns = await writer.write(
            {
              ...{ seq: async () => 1, expected: delivered.length, catalog: async () => '' },
              documents: store.catalog.allDocuments(),
              filters: () => store.catalog.filterTexts(),
            },
            0,
          );
          const file = DocumentFile.open(join(folder, 'documents'), columns, silentLog);
          const entries = await store.catalog.indexEntries(delivered.map(({ id }) => id));
          const rowIds = entries.map(({ rowId }) => rowId);
          const copies = file.read(rowIds, new Set());
          const documents = await store.catalog.documents(rowIds);
          file.close();
          for (const [i, { id, name }] of entries.entries()) {
            const buffers = [copies[i]!, documents[i]!].map((document) => {
              const buffer = Buffer.alloc(document.bytes);
              document.write(buffer, 0);
              return buffer.toString();
            });
            expect(buffers[0]).toBe(buffers[1]);
            const wanted = delivered.find((one) => one.id === id)!;
            const track = JSON.parse(`${buffers[0]}}`);
            expect(name).toBe(wanted.name);
            expect(track).toMatchObject({
              ...{ id, name, bpm: wanted.bpm, songKey: wanted.songKey, region: wanted.region },
              ...{ timeSignature: wanted.timeSignature, durationSeconds: wanted.durationSeconds },
              ...{ releaseDate: new Date(wanted.releasedAt!).toISOString(), isrc: wanted.isrc },
              ...{ hasVocals: wanted.hasVocals, isPRO: wanted.isPRO, tags: wanted.tags },
              artists: wanted.artists.map(({ externalId, ...credit }) => credit),
            });
          }
        },
      );
      await fc.assert(property, { numRuns: 15, endOnFailure: true });
      await rm(folder, { recursive: true });
    });
  });
}
