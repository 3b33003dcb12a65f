import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/common/clock.ts';
import { derivedId } from '../../src/common/ids.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

const artists = [
  {
    id: derivedId('Mara'),
    name: 'Mara',
    role: 'MAIN_ARTIST' as const,
    isPrimary: true,
    externalId: null,
  },
];

for (const adapter of ADAPTERS) {
  describe(`the counts of sources on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('say what tracks lack, which are twins of any source, and which switch', async () => {
      const { store, clock } = await open();
      expect(await store.trackFinder.sourceCounts()).toEqual([]);
      const now = clock.now();
      const same = { name: 'Night Drive', durationSeconds: 60, artists };
      const isrc = (n: number) => ({ isrc: `DEA12000000${n}` });
      const media = { audioKey: `${'0'.repeat(64)}.wav`, artworkKey: `${'0'.repeat(64)}.png` };
      await importAll(store, [
        delivery(1, { ...same, ...isrc(1), ...media, source: 'a' }),
        delivery(2, {
          ...{ ...same, name: 'NIGHT  drive!', durationSeconds: 62, ...isrc(2), source: 'b' },
        }),
        delivery(3, { name: 'Other', ...isrc(2), source: 'b' }),
        delivery(4, { name: 'Alone', isrc: '', source: 'b' }),
        delivery(5, { name: 'Alone too', isrc: '', source: 'b' }),
        // Not in the catalog, so nothing is a twin of it.
        delivery(6, { name: 'Alone', ...isrc(6), artists, source: 'a' }),
        delivery(7, { name: 'Alone', ...isrc(6), artists, source: 'c' }),
        delivery(8, {
          name: 'Soon',
          ...isrc(8),
          source: 'c',
          availability: [{ from: now + DAY_MS }],
        }),
        delivery(9, {
          name: 'Ends',
          ...isrc(9),
          source: 'c',
          availability: [{ until: now + 2 * DAY_MS }],
        }),
      ]);
      await setTrackState(store, delivery(6).id, 'taken_down', BY);
      const counts = await store.trackFinder.sourceCounts();
      expect(
        counts.map((one) => [
          ...[one.source, one.tracks, one.takenDown, one.duplicates],
          ...[one.comingSwitches, one.nextSwitchAt],
        ]),
      ).toEqual([
        ['a', 1, 1, 1, 0, null],
        ['b', 4, 0, 2, 0, null],
        ['c', 3, 0, 0, 2, now + DAY_MS],
      ]);
      expect(counts.map((one) => [one.withoutAudio, one.withoutIsrc, one.withoutArtwork])).toEqual([
        [0, 0, 0],
        [4, 2, 4],
        [3, 0, 3],
      ]);
    });
  });
}
