import { describe, expect, it } from 'vitest';
import type { IndexEntry } from '../../src/catalog/catalog-index.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Store } from '../../src/storage/store.ts';
import { ADAPTERS } from './adapters.ts';
import { BY, deliveries, delivery, importAll } from './deliveries.ts';
import { allChanges, harnessOf, kindsAfter, numbersOf, someClient, trackId } from './stores.ts';

async function allEntries(store: Store): Promise<IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for await (const slice of store.catalog.allIndexEntries()) entries.push(...slice);
  return entries;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

for (const adapter of ADAPTERS) {
  describe(`documents on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('come in the order asked for, undefined for what is not live, for any number of tracks', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 250));
      const ids = Array.from({ length: 250 }, (_, i) => trackId(249 - i));
      const numbers = await numbersOf(store, ids);
      const [one, seven] = await numbersOf(store, [trackId(1), trackId(7)]);
      await store.catalog.setState(trackId(7), 'taken_down', BY);
      const documents = await store.catalog.documents([one!, 0, one!, 1_000, seven!, ...numbers]);
      expect(documents.map((document) => document?.id)).toEqual([
        trackId(1),
        undefined,
        trackId(1),
        undefined,
        undefined,
        ...ids.map((id) => (id === trackId(7) ? undefined : id)),
      ]);
      for (const length of [0, 1, 2, 3, 19, 20, 21, 99, 100, 101]) {
        const some = await store.catalog.documents(numbers.slice(0, length));
        expect(some.map((document) => document?.id)).toEqual(
          ids.slice(0, length).map((id) => (id === trackId(7) ? undefined : id)),
        );
      }
    });

    it('are found by slug, and by id in either case, while their track is live', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      const [number] = await numbersOf(store, [trackId(1)]);
      const [document] = await store.catalog.documents([number!]);
      expect(document!.id).toBe(trackId(1));
      expect(await store.catalog.document('track-1')).toEqual(document);
      expect(await store.catalog.document(trackId(1).toUpperCase())).toEqual(document);
      expect(await store.catalog.document('track-2')).toBeUndefined();
      expect(await store.catalog.document(newId())).toBeUndefined();
      await store.catalog.setState(trackId(1), 'taken_down', BY);
      expect(await store.catalog.document('track-1')).toBeUndefined();
      expect(await store.catalog.document(trackId(1))).toBeUndefined();
    });

    it('are the track as JSON without its closing brace, members in their order', async () => {
      const { store } = await open();
      const artworkKey = `${'b'.repeat(64)}.png`;
      await importAll(store, [delivery(1, { name: 'Größe “x”', artworkKey })]);
      const document = await store.catalog.document(trackId(1));
      const track = (await store.catalog.trackRecord(trackId(1)))!.track;
      expect(document!.artworkKey).toBe(artworkKey);
      expect(`${document!.json}}`).toBe(JSON.stringify(track));
      expect(document!.bytes).toBe(Buffer.byteLength(document!.json));
    });
  });

  describe(`index entries on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('hold what the index needs of every live track, in slices', async () => {
      const { store } = await open();
      const batch = deliveries(0, 4_500).map((one, n) =>
        n === 5
          ? { ...one, name: 'a\u0000b', filters: [], isrc: 'USUAN1100001', bpm: '', songKey: [] }
          : { ...one, bpm: '97.125', songKey: n % 2 === 0 ? ['A minor'] : ['C major', 'H "x" é'] },
      );
      await importAll(store, batch);
      await store.catalog.setState(trackId(4), 'taken_down', BY);
      const entries = await allEntries(store);
      expect(entries).toHaveLength(4_499);
      const filterIds = new Map((await store.catalog.filters()).map(({ name, id }) => [name, id]));
      const expected = batch
        .filter(({ id }) => id !== trackId(4))
        .map(({ id, name, type, hasVocals, releasedAt, durationSeconds, isrc, ...one }) => ({
          no: expect.any(Number),
          id,
          name,
          type,
          hasVocals,
          releasedAt,
          durationSeconds,
          bpm: Number(one.bpm),
          songKeys: one.songKey,
          filterIds: one.filters.map((filter) => filterIds.get(filter.name)!).sort(),
          isrc,
        }));
      const sorted = entries.map((entry) => ({
        ...entry,
        filterIds: [...entry.filterIds].sort(),
      }));
      expect(sorted.sort(byId)).toEqual(expected.sort(byId));
    });

    it('follow what is delivered anew', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      const [before] = await store.catalog.indexEntries([trackId(1)]);
      await importAll(store, [delivery(1, { bpm: '88.5', songKey: ['D'], durationSeconds: 5 })]);
      expect(await store.catalog.indexEntries([trackId(1)])).toEqual([
        { ...before!, bpm: 88.5, songKeys: ['D'], durationSeconds: 5 },
      ]);
    });

    it('are given for chosen tracks, without those that are not live', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 3));
      await store.catalog.setState(trackId(1), 'taken_down', BY);
      const ids = [trackId(2), trackId(1), newId(), trackId(0)];
      const entries = await store.catalog.indexEntries(ids);
      expect(entries.map(({ id }) => id).sort()).toEqual([trackId(0), trackId(2)].sort());
    });

    it('know filters that came later, from another process', async () => {
      const { store, another } = await open();
      await importAll(store, [delivery(1)]);
      await store.catalog.indexEntries([trackId(1)]);
      const late = delivery(2, { filters: [{ type: 'mood', name: 'Late' }] });
      await importAll(await another(), [late]);
      const [entry] = await store.catalog.indexEntries([trackId(2)]);
      const filters = await store.catalog.filters();
      expect(entry!.filterIds).toEqual([filters.find(({ name }) => name === 'Late')!.id]);
    });
  });

  describe(`tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are found by slug, and by id in either case, whatever their state', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      await store.catalog.setState(trackId(1), 'taken_down', BY);
      expect(await store.catalog.resolveTrack('track-1')).toBe(trackId(1));
      expect(await store.catalog.resolveTrack(trackId(1).toUpperCase())).toBe(trackId(1));
      expect(await store.catalog.resolveTrack('TRACK-1')).toBeUndefined();
      expect(await store.catalog.resolveTrack('track-2')).toBeUndefined();
      expect(await store.catalog.resolveTrack(newId())).toBeUndefined();
    });

    it('are taken down and restored once each, with one row in the log', async () => {
      const { store, clock } = await open();
      await importAll(store, [delivery(1)]);
      const head = await store.changes.head();
      clock.time += 1;
      expect(await store.catalog.setState(trackId(1), 'live', BY)).toBe(false);
      expect(await store.catalog.setState(trackId(1), 'taken_down', BY)).toBe(true);
      expect(await store.catalog.setState(trackId(1), 'taken_down', BY)).toBe(false);
      expect((await store.catalog.trackRecord(trackId(1)))!.updatedAt).toBe(clock.time);
      expect(await store.catalog.counts()).toMatchObject({ live: 0, takenDown: 1 });
      expect(await store.catalog.setState(trackId(1), 'live', BY)).toBe(true);
      expect(await kindsAfter(store, head)).toEqual(['track.taken_down', 'track.restored']);
      await expect(store.catalog.setState(newId(), 'live', BY)).rejects.toMatchObject({
        kind: 'not_found',
      });
    });

    it('tell their audio and state', async () => {
      const { store } = await open();
      const audioKey = `${'a'.repeat(64)}.mp3`;
      await importAll(store, [delivery(1, { audioKey }), delivery(2)]);
      await store.catalog.setState(trackId(2), 'taken_down', BY);
      expect(await store.catalog.trackAudio(trackId(1))).toEqual({ state: 'live', audioKey });
      expect(await store.catalog.trackAudio(trackId(2))).toEqual({
        state: 'taken_down',
        audioKey: null,
      });
      expect(await store.catalog.trackAudio(newId())).toBeUndefined();
      expect(await store.catalog.trackRecord(newId())).toBeUndefined();
    });

    it('name every media key that they refer to', async () => {
      const { store } = await open();
      const key = (digit: string, extension: string) => `${digit.repeat(64)}.${extension}`;
      await importAll(store, [
        delivery(1, { audioKey: key('a', 'mp3'), artworkKey: key('b', 'png') }),
        delivery(2),
        delivery(3, { artworkKey: key('c', 'jpg') }),
      ]);
      await store.catalog.setState(trackId(3), 'taken_down', BY);
      const keys: string[] = [];
      for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
      expect(keys.sort()).toEqual([key('a', 'mp3'), key('b', 'png'), key('c', 'jpg')]);
    });
  });

  describe(`removeSource on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('leaves nothing but the log, and what other sources use', async () => {
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
      await store.licences.put(
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
        filters: 1,
        playlists: 1,
      });
      expect((await store.catalog.filters()).map(({ name }) => name)).toEqual(['Genre 0']);
      expect((await store.playlists.find(playlist.id))!.trackIds).toEqual([kept.id]);
      expect(await store.licences.mostLicensed('live', null)).toEqual([
        { trackId: kept.id, licenseCount: 1 },
      ]);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      const removed = changes.filter(
        ({ kind, entity }) => entity === 'track' && kind === 'removed',
      );
      expect(removed.map(({ entityId }) => entityId).sort()).toEqual(
        Array.from({ length: 700 }, (_, n) => trackId(n)).sort(),
      );
      expect(changes.filter(({ entity }) => entity === 'licence')).toMatchObject([
        { kind: 'removed', entityId: 'l1' },
      ]);
      expect(await store.catalog.removeSource('label', BY)).toBe(0);
      expect(await store.catalog.isUntouched()).toBe(false);
      await store.check(true);
    });

    it('never gives the number of a track that it removed again', async () => {
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

    it('frees the slugs and their numbering of what it removed', async () => {
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

    it('does not confuse an import of another process that goes on', async () => {
      const { store, another } = await open();
      const session = await (await another()).catalog.openDelivery(BY, 'b');
      await session.deliver(deliveries(0, 3));
      await store.catalog.removeSource('label', BY);
      expect(await session.deliver(deliveries(0, 3))).toEqual(Array(3).fill('created'));
      await session.close();
      await store.check(true);
    });
  });

  describe(`an empty catalog on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is untouched until something is imported', async () => {
      const { store } = await open();
      expect(await store.catalog.isUntouched()).toBe(true);
      expect(await store.catalog.counts()).toEqual({
        live: 0,
        takenDown: 0,
        filters: 0,
        playlists: 0,
      });
      expect(await allEntries(store)).toEqual([]);
      await importAll(store, [delivery(1)]);
      expect(await store.catalog.isUntouched()).toBe(false);
    });
  });
}
