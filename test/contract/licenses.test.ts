import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { License } from '../../src/features/licensing/license.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

function license(n: number, track: number, overrides: Partial<License> = {}): License {
  return {
    externalId: `license-${n}`,
    trackId: trackId(track),
    mode: 'live',
    licensedAt: 1_000 + n,
    clientId: null,
    ...overrides,
  };
}

for (const adapter of ADAPTERS) {
  describe(`licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are added once, and corrected by their external id', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 2));
      const head = await store.changes.head();
      const put = (...licenses: License[]) => store.licenses.put(licenses, BY, 'b');
      expect(await put(license(1, 0), license(2, 0), license(1, 0))).toEqual([
        'created',
        'created',
        'unchanged',
      ]);
      expect(await put(license(1, 0), license(2, 1), license(3, 1))).toEqual([
        'unchanged',
        'updated',
        'created',
      ]);
      expect(await put(license(1, 0, { clientId: newId() }))).toEqual(['updated']);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes.map(({ entity, kind, entityId }) => [entity, kind, entityId])).toEqual([
        ['license', 'created', 'license-1'],
        ['license', 'created', 'license-2'],
        ['license', 'updated', 'license-2'],
        ['license', 'created', 'license-3'],
        ['license', 'updated', 'license-1'],
      ]);
      await expect(put(license(9, 0), license(8, 999))).rejects.toMatchObject({
        kind: 'not_found',
      });
      expect(await put(license(9, 0))).toEqual(['created']);
    });

    it('are counted by mode and time for live tracks, most licensed first and ties by id, and by track in any state', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 60));
      const licenses: License[] = [];
      for (let n = 0; n < 12_000; n++) {
        licenses.push(
          license(n, n % 7 === 0 ? 0 : n % 60, {
            mode: n % 5 === 0 ? 'test' : 'live',
            licensedAt: 1_000 + Math.floor(n / 100),
          }),
        );
      }
      await store.licenses.put(licenses, BY, 'b');
      await setTrackState(store, trackId(1), 'taken_down', BY);
      for (const [mode, since] of [
        ['live', null],
        ['test', null],
        ['live', 1_050],
        ['live', 1_119],
        ['live', 1_120],
        ['test', 5_000],
      ] as const) {
        const counts = new Map<string, number>();
        for (const one of licenses) {
          if (one.mode !== mode || one.licensedAt < (since ?? 0)) continue;
          if (one.trackId === trackId(1)) continue;
          counts.set(one.trackId, (counts.get(one.trackId) ?? 0) + 1);
        }
        const expected = [...counts]
          .map(([id, licenseCount]) => ({ trackId: id, licenseCount }))
          .sort((a, b) => b.licenseCount - a.licenseCount || (a.trackId < b.trackId ? -1 : 1));
        expect(await store.licenses.mostLicensed(mode, since)).toEqual(expected);
      }
      const perTrack = Map.groupBy(
        licenses.filter(({ mode }) => mode === 'live'),
        ({ trackId }) => trackId,
      );
      const counts = new Map([...perTrack].map(([id, those]) => [id, those.length]));
      expect(await store.licenses.countsByTrack('live')).toEqual(counts);
      expect(counts.get(trackId(1))).toBeGreaterThan(0);
    });
  });
}
