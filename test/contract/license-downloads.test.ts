import { describe, expect, it } from 'vitest';
import type { LicenseDownload } from '../../src/features/licensing/download.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { withSales } from './licensing-support.ts';

const DAY_MS = 86_400_000;

for (const adapter of ADAPTERS) {
  describe(`downloads of licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => withSales(await open());
    const download = (members: Partial<LicenseDownload> = {}): LicenseDownload => ({
      ...{ trackId: trackId(0), partId: null, format: 'original', at: DAY_MS + 5, bytes: 9 },
      ...members,
    });

    it('are recorded once for each file and day, however many nodes send it', async () => {
      const { store, another, me, sell } = await start();
      const { number } = await sell(me, [0, 1]);
      const nodes = [store, await another()];
      const firsts = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          nodes[i % 2]!.licenseDownloads.record(number, download()),
        ),
      );
      expect(firsts.filter(Boolean)).toHaveLength(1);
      const { licenseDownloads } = store;
      const others = [
        download({ at: 2 * DAY_MS }),
        download({ trackId: trackId(1) }),
        download({ partId: trackId(7) }),
        download({ format: 'mp3' }),
      ];
      for (const other of others) {
        expect(await licenseDownloads.record(number, other)).toBe(true);
        expect(await licenseDownloads.record(number, other)).toBe(false);
      }
      expect(await licenseDownloads.record(number, download({ at: 2 * DAY_MS - 1 }))).toBe(false);
      const page = await licenseDownloads.list(number, { offset: 0, limit: 2 });
      expect(page.total).toBe(5);
      expect(page.downloads[0]).toEqual(others[0]);
      const second = await sell(me, [0]);
      expect(await licenseDownloads.list(second.number, { offset: 0, limit: 9 })).toEqual({
        downloads: [],
        total: 0,
      });
    });

    it('know the revoked ones of some licenses', async () => {
      const { store, me, sell } = await start();
      const [one, other] = [await sell(me, [0]), await sell(me, [1])];
      const numbers = [one.number, other.number];
      expect(await store.licenseDownloads.revoked(numbers)).toEqual([]);
      await store.issuedLicenses.revoke(one.number, { reason: 'unpaid', now: 1 }, BY);
      expect(await store.licenseDownloads.revoked(numbers)).toEqual([one.number]);
      expect(await store.licenseDownloads.revoked([])).toEqual([]);
    });

    it('end for tracks that were taken down from licenses, too, until these are restored', async () => {
      const { store } = await start();
      const work = () => store.licenseDownloads.work(trackId(0));
      const [[rowId]] = (await store.trackFinder.named([trackId(0)])) as [[number]];
      // A live track is not withheld.
      await store.trackFinder.withhold([rowId]);
      expect(await work()).toEqual({ iswc: null, isWithheld: false });
      await setTrackState(store, trackId(0), 'taken_down', BY);
      expect((await work())?.isWithheld).toBe(false);
      await store.trackFinder.withhold([rowId]);
      await store.trackFinder.withhold([rowId]);
      expect((await work())?.isWithheld).toBe(true);
      await setTrackState(store, trackId(0), 'live', BY);
      expect((await work())?.isWithheld).toBe(false);
      expect(await store.licenseDownloads.work(trackId(99))).toBeUndefined();
    });
  });
}
