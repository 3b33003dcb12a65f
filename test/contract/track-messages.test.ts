import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dealList,
  ern38,
  ern43,
  header,
  purge,
  recording43,
} from '../../src/features/import/ddex/ern.test-support.ts';
import { BY } from '../harness/deliveries.ts';
import { counts, type ImportBench, openImportBench } from '../harness/import-bench.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { wav } from '../harness/wav.ts';

for (const adapter of ADAPTERS) {
  describe(`the messages about tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are recorded with their releases, which each later one replaces', async () => {
      const { store } = await open();
      const { trackMessages } = store;
      const [one, other] = [trackId(1), trackId(2)].sort() as [string, string];
      await trackMessages.record([]);
      expect(await trackMessages.sentAt([])).toEqual(new Map());
      await trackMessages.record([
        { trackId: one, sentAt: 5, releases: ['a', 'b', 'a'] },
        { trackId: other, sentAt: 6, releases: [] },
      ]);
      expect(await trackMessages.sentAt([one, other, trackId(3)])).toEqual(
        new Map([
          [one, 5],
          [other, 6],
        ]),
      );
      expect(await trackMessages.tracksOf(['a', 'b', 'c'], '')).toEqual([
        { trackId: one, sentAt: 5 },
      ]);
      await trackMessages.record([
        { trackId: one, sentAt: 7, releases: ['c'] },
        { trackId: other, sentAt: 8, releases: ['c'] },
      ]);
      expect(await trackMessages.tracksOf(['a', 'b'], '')).toEqual([]);
      expect(await trackMessages.tracksOf(['c'], one)).toEqual([{ trackId: other, sentAt: 8 }]);
      expect((await trackMessages.sentAt([one])).get(one)).toBe(7);
    });

    it('takes as many releases as a batch of tracks may have', async () => {
      const { store } = await open();
      const messages = Array.from({ length: 100 }, (_, n) => ({
        trackId: trackId(n),
        sentAt: n,
        releases: Array.from({ length: 10 }, (_, release) => `${release}`),
      }));
      await store.trackMessages.record(messages);
      expect(await store.trackMessages.tracksOf(['3', '4'], '')).toHaveLength(100);
    });
  });

  describe(`the import of DDEX messages into ${adapter.name}`, () => {
    let bench: ImportBench;
    let place: Awaited<ReturnType<typeof adapter.provide>>;
    beforeEach(async () => {
      place = await adapter.provide();
      bench = await openImportBench((_, clock) => adapter.open(place.location, clock));
    });
    afterEach(async () => {
      await bench.close();
      await place.dispose();
    });

    const importText = async (message: string, options: object = {}) =>
      bench.run([await bench.write('a.xml', message)], options);
    const at = (createdAt: string) => header({ createdAt });
    const states = async () => {
      const { live, withdrawn, unavailable } = await bench.store.catalog.counts();
      return { live, withdrawn, unavailable };
    };

    it('creates, updates, withdraws and restores tracks in the order of the messages, and is undone', async () => {
      await bench.write('resources/1.wav', wav());
      const recordings = [
        recording43({ file: 'resources/1.wav' }),
        recording43({ reference: 'A2', ids: '<ISRC>DEA252600002</ISRC>', title: 'Quay' }),
      ];
      const march = ern43({ head: at('2026-03-01T00:00:00Z'), recordings });
      expect((await importText(march)).summary).toEqual(counts(2));
      expect((await importText(march)).summary).toMatchObject({ unchanged: 2 });
      const later = `<Deal><DealTerms><TerritoryCode>DE</TerritoryCode><ValidityPeriod><StartDate>2027-01-01</StartDate></ValidityPeriod></DealTerms></Deal>`;
      const april = ern43({ head: at('2026-04-01T00:00:00Z'), deals: dealList(later) });
      let batch = '';
      const onBatch = (id: string) => {
        batch = id;
      };
      expect((await importText(april, { onBatch })).summary).toMatchObject({ updated: 1 });
      expect(await states()).toEqual({ live: 1, withdrawn: 0, unavailable: 1 });
      expect((await importText(march)).summary).toMatchObject({ read: 1, unchanged: 1 });
      await bench.store.batches.undo(batch, { by: BY });
      expect(await states()).toEqual({ live: 2, withdrawn: 0, unavailable: 0 });
      expect((await importText(march)).summary).toMatchObject({ read: 2, unchanged: 2 });
      const takedown = ern38({ head: at('2026-04-02T00:00:00Z'), deals: '' });
      expect((await importText(takedown)).summary).toMatchObject({ withdrawn: 1 });
      const purged = purge('<ICPN>04012345678901</ICPN>', '2026-05-01T00:00:00Z');
      expect((await importText(purged, { dryRun: true })).summary).toMatchObject({ withdrawn: 1 });
      expect((await importText(purged)).summary).toMatchObject({ withdrawn: 1 });
      expect(await states()).toEqual({ live: 0, withdrawn: 2, unavailable: 0 });
      const june = ern43({ head: at('2026-06-01T00:00:00Z'), recordings });
      expect((await importText(june)).summary).toMatchObject({ updated: 2 });
      expect(await states()).toEqual({ live: 2, withdrawn: 0, unavailable: 0 });
    });
  });
}
