import { describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import type { Licence } from '../../src/licensing/licence.ts';
import { ADAPTERS } from './adapters.ts';
import { BY, deliveries, importAll } from './deliveries.ts';
import { allChanges, harnessOf, trackId } from './stores.ts';

function licence(n: number, track: number, overrides: Partial<Licence> = {}): Licence {
  return {
    externalId: `licence-${n}`,
    trackId: trackId(track),
    mode: 'live',
    licensedAt: 1_000 + n,
    clientId: null,
    ...overrides,
  };
}

for (const adapter of ADAPTERS) {
  describe(`licences on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are added once and corrected by their external id', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 2));
      const head = await store.changes.head();
      const put = (...licences: Licence[]) => store.licences.put(licences, BY, 'b');
      expect(await put(licence(1, 0), licence(2, 0), licence(1, 0))).toEqual([
        'created',
        'created',
        'unchanged',
      ]);
      expect(await put(licence(1, 0), licence(2, 1), licence(3, 1))).toEqual([
        'unchanged',
        'updated',
        'created',
      ]);
      expect(await put(licence(1, 0, { clientId: newId() }))).toEqual(['updated']);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes.map(({ entity, kind, entityId }) => [entity, kind, entityId])).toEqual([
        ['licence', 'created', 'licence-1'],
        ['licence', 'created', 'licence-2'],
        ['licence', 'updated', 'licence-2'],
        ['licence', 'created', 'licence-3'],
        ['licence', 'updated', 'licence-1'],
      ]);
      await expect(put(licence(9, 0), licence(8, 999))).rejects.toMatchObject({
        kind: 'not_found',
      });
      expect(await put(licence(9, 0))).toEqual(['created']);
    });

    it('are counted by mode and time, most licensed first, ties by id, live tracks only; or by track, whatever its state', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 60));
      const licences: Licence[] = [];
      for (let n = 0; n < 12_000; n++) {
        licences.push(
          licence(n, n % 7 === 0 ? 0 : n % 60, {
            mode: n % 5 === 0 ? 'test' : 'live',
            licensedAt: 1_000 + Math.floor(n / 100),
          }),
        );
      }
      await store.licences.put(licences, BY, 'b');
      await store.catalog.setState(trackId(1), 'taken_down', BY);
      for (const [mode, since] of [
        ['live', null],
        ['test', null],
        ['live', 1_050],
        ['live', 1_119],
        ['live', 1_120],
        ['test', 5_000],
      ] as const) {
        const counts = new Map<string, number>();
        for (const one of licences) {
          if (one.mode !== mode || one.licensedAt < (since ?? 0)) continue;
          if (one.trackId === trackId(1)) continue;
          counts.set(one.trackId, (counts.get(one.trackId) ?? 0) + 1);
        }
        const expected = [...counts]
          .map(([id, licenseCount]) => ({ trackId: id, licenseCount }))
          .sort((a, b) => b.licenseCount - a.licenseCount || (a.trackId < b.trackId ? -1 : 1));
        expect(await store.licences.mostLicensed(mode, since)).toEqual(expected);
      }
      const perTrack = Map.groupBy(
        licences.filter(({ mode }) => mode === 'live'),
        ({ trackId }) => trackId,
      );
      const counts = new Map([...perTrack].map(([id, those]) => [id, those.length]));
      expect(await store.licences.countsByTrack('live')).toEqual(counts);
      expect(counts.get(trackId(1))).toBeGreaterThan(0);
    });
  });
}
