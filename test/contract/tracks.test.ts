import { describe, expect, it } from 'vitest';
import { derivedId, newId } from '../../src/common/ids.ts';
import { TABLES } from '../../src/engines/sql/copied-tables.ts';
import type { Track } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import {
  allChanges,
  harnessOf,
  kindsAfter,
  numbersOf,
  someClient,
  trackId,
} from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

async function trackOf(store: Store, id: string): Promise<Track> {
  return (await store.catalog.trackRecord(id))!.track;
}

function countArtists(store: Store): Promise<number> {
  return store.tables.count(TABLES.find(({ name }) => name === 'artists')!);
}

for (const adapter of ADAPTERS) {
  describe(`tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are found by slug, and by id in upper or lower case, in any state', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      expect(await store.catalog.resolveTrack('track-1')).toBe(trackId(1));
      expect(await store.catalog.resolveTrack(trackId(1).toUpperCase())).toBe(trackId(1));
      expect(await store.catalog.resolveTrack('TRACK-1')).toBeUndefined();
      expect(await store.catalog.resolveTrack('track-2')).toBeUndefined();
      expect(await store.catalog.resolveTrack(newId())).toBeUndefined();
    });

    it('are found together, in the order of any number of names', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 120));
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const resolve = (names: string[]) => store.catalog.resolveTracks(names);
      expect(
        await resolve(['track-3', trackId(1).toUpperCase(), 'none', newId(), 'track-1', 'TRACK-2']),
      ).toEqual([trackId(3), trackId(1), undefined, undefined, trackId(1), undefined]);
      const numbers = Array.from({ length: 120 }, (_, n) => 119 - n);
      const names = numbers.map((n) => (n % 2 === 0 ? trackId(n) : `track-${n}`));
      expect(await resolve(names)).toEqual(numbers.map(trackId));
      expect(await resolve(['track-5', 'track-5'])).toEqual([trackId(5), trackId(5)]);
      expect(await resolve([])).toEqual([]);
    });

    it('are taken down and restored once, with one change in the log', async () => {
      const { store, clock } = await open();
      await importAll(store, [delivery(1)]);
      const head = await store.changes.head();
      clock.advance(0.001);
      expect(await setTrackState(store, trackId(1), 'live', BY)).toBe(false);
      expect(await setTrackState(store, trackId(1), 'taken_down', BY)).toBe(true);
      expect(await setTrackState(store, trackId(1), 'taken_down', BY)).toBe(false);
      expect((await store.catalog.trackRecord(trackId(1)))!.updatedAt).toBe(clock.now());
      expect(await store.catalog.counts()).toMatchObject({ live: 0, takenDown: 1 });
      expect(await setTrackState(store, trackId(1), 'live', BY)).toBe(true);
      expect(await kindsAfter(store, head)).toEqual(['track.taken_down', 'track.restored']);
    });

    it('have audio and a state', async () => {
      const { store } = await open();
      const audioKey = `${'a'.repeat(64)}.mp3`;
      await importAll(store, [delivery(1, { audioKey }), delivery(2)]);
      await setTrackState(store, trackId(2), 'taken_down', BY);
      const made = {
        ...{ previewStart: null, previewKey: null, waveformKey: null },
        ...{ audioProperties: null, samples: null, isPlayable: null, isrc: '' },
        ...{ artworkKey: null, coverBytes: null },
      };
      const served = (n: number) => ({
        ...{
          name: `Track ${n}`,
          slug: `track-${n}`,
          artist: `Artist ${n}`,
          performers: [`Artist ${n}`],
          forbidsTraining: false,
        },
      });
      expect(await store.catalog.trackAudio(trackId(1))).toEqual({
        ...{ state: 'live', audioKey, ...made, ...served(1) },
      });
      expect(await store.catalog.trackAudio(trackId(2))).toEqual({
        ...{ state: 'taken_down', audioKey: null, ...made, ...served(2) },
      });
      expect(await store.catalog.trackAudio(newId())).toBeUndefined();
      expect(await store.catalog.trackRecord(newId())).toBeUndefined();
    });

    it('list every media key that they refer to', async () => {
      const { store } = await open();
      const key = (digit: string, extension: string) => `${digit.repeat(64)}.${extension}`;
      await importAll(store, [
        delivery(1, { audioKey: key('a', 'mp3'), artworkKey: key('b', 'png') }),
        delivery(2),
        delivery(3, { artworkKey: key('c', 'jpg') }),
      ]);
      await setTrackState(store, trackId(3), 'taken_down', BY);
      const keys: string[] = [];
      for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
      expect(keys.sort()).toEqual([key('a', 'mp3'), key('b', 'png'), key('c', 'jpg')]);
    });
  });

  describe(`removeSource on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('leaves only the log, and what other sources use', async () => {
      const { store } = await open();
      const kept = delivery(1_000, {
        source: 'other',
        filters: [{ type: 'genre', name: 'Genre 0' }],
      });
      await importAll(store, [...deliveries(0, 700), kept]);
      const client = someClient();
      await store.clients.create(client, BY);
      const playlist = await store.playlists.create(
        { id: newId(), name: 'P', description: '', createdAt: 0, updatedAt: 0 },
        [trackId(1), kept.id, trackId(650)],
        BY,
      );
      await store.licenses.put(
        [
          { externalId: 'l1', trackId: trackId(1), mode: 'live', licensedAt: 1, clientId: null },
          { externalId: 'l2', trackId: kept.id, mode: 'live', licensedAt: 1, clientId: null },
        ],
        BY,
        'b',
      );
      const head = await store.changes.head();

      expect(await store.catalog.removeSource('label', BY)).toBe(700);

      expect(await store.catalog.counts()).toEqual({
        live: 1,
        takenDown: 0,
        withdrawn: 0,
        unavailable: 0,
        filters: 1,
        playlists: 1,
      });
      expect((await store.catalog.filters()).map(({ name }) => name)).toEqual(['Genre 0']);
      expect((await store.playlists.find(playlist.id))!.trackIds).toEqual([kept.id]);
      expect(await store.licenses.mostLicensed('live', null)).toEqual([
        { trackId: kept.id, licenseCount: 1 },
      ]);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      const removed = changes.filter(
        ({ kind, entity }) => entity === 'track' && kind === 'removed',
      );
      expect(removed.map(({ entityId }) => entityId).sort()).toEqual(
        Array.from({ length: 700 }, (_, n) => trackId(n)).sort(),
      );
      expect(changes.filter(({ entity }) => entity === 'license')).toMatchObject([
        { kind: 'removed', entityId: 'l1' },
      ]);
      expect(await store.catalog.removeSource('label', BY)).toBe(0);
      expect(await store.catalog.isUntouched()).toBe(false);
      await store.check(true);
    });

    it('removes the artists and filters that no track uses, whoever used them before', async () => {
      const { store } = await open();
      const credit = (name: string) => [
        { id: derivedId(name), name, role: 'COMPOSER', isPrimary: true, externalId: null },
      ];
      const named = (n: number, name: string, source: string) =>
        delivery(n, { source, artists: credit(name), filters: [{ type: 'mood', name }] });
      await importAll(store, [named(1, 'Kept', 'other'), named(2, 'Replaced', 'other')]);
      await importAll(store, [named(2, 'Kept', 'other'), named(3, 'Gone', 'label')]);
      await setTrackState(store, trackId(2), 'taken_down', BY);
      expect(await countArtists(store)).toBe(3);
      await store.catalog.removeSource('label', BY);
      expect(await countArtists(store)).toBe(1);
      expect((await store.catalog.filters()).map(({ name }) => name)).toEqual(['Kept']);
      expect(await trackOf(store, trackId(1))).toMatchObject({ artists: [{ name: 'Kept' }] });
      await importAll(store, [named(4, 'Gone', 'label')]);
      expect(await trackOf(store, trackId(4))).toMatchObject({
        artists: [{ name: 'Gone' }],
        filters: [{ slug: 'gone' }],
      });
    });

    it('keeps what other processes begin to use meanwhile', async () => {
      const { store, another } = await open();
      const mood = (n: number) => ({ type: 'mood' as const, name: `Mood ${n}` });
      const all = Array.from({ length: 400 }, (_, n) => n);
      await importAll(
        store,
        all.map((n) => delivery(n, { filters: [mood(n)] })),
      );
      const removal = store.catalog.removeSource('label', BY);
      const session = await (await another()).catalog.openDelivery(BY, 'b');
      for (const n of all) {
        await session.deliver([delivery(1_000 + n, { source: 'other', filters: [mood(n)] })]);
      }
      await session.close();
      expect(await removal).toBe(400);
      for (const n of all) {
        const track = await trackOf(store, trackId(1_000 + n));
        expect(track.filters).toMatchObject([mood(n)]);
      }
      expect(await store.catalog.counts()).toMatchObject({ live: 400, filters: 400 });
      await store.check(true);
    });

    it('never reuses the row ids of the tracks that it removed', async () => {
      const { store, another } = await open();
      await importAll(store, deliveries(0, 450));
      await importAll(store, [delivery(500, { source: 'other' })]);
      const every = Array.from({ length: 501 }, (_, n) => trackId(n));
      const given = new Set(await numbersOf(store, every));
      await store.catalog.removeSource('other', BY);
      await store.catalog.removeSource('label', BY);
      await importAll(await another(), deliveries(0, 3));
      await store.catalog.removeSource('label', BY);
      await importAll(store, deliveries(0, 3));
      const again = await numbersOf(store, [trackId(0), trackId(1), trackId(2)]);
      expect(again.filter((number) => given.has(number))).toEqual([]);
      expect(new Set(again).size).toBe(3);
      expect(Math.min(...again)).toBeGreaterThan(Math.max(...given) + 3);
    });

    it('frees the slugs of the tracks that it removed, and their numbers', async () => {
      const { store } = await open();
      await importAll(
        store,
        deliveries(0, 5).map((one) => ({ ...one, name: 'Intro' })),
      );
      await store.catalog.removeSource('label', BY);
      await importAll(
        store,
        deliveries(10, 12).map((one) => ({ ...one, name: 'Intro' })),
      );
      expect(await store.catalog.resolveTrack('intro')).toBe(trackId(10));
      expect(await store.catalog.resolveTrack('intro-2')).toBe(trackId(11));
    });

    it('does not disturb a running import of another process', async () => {
      const { store, another } = await open();
      const session = await (await another()).catalog.openDelivery(BY, 'b');
      await session.deliver(deliveries(0, 3));
      await store.catalog.removeSource('label', BY);
      expect(await session.deliver(deliveries(0, 3))).toEqual(Array(3).fill('created'));
      await session.close();
      await store.check(true);
    });
  });
}
