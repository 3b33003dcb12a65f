import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Track, TrackDelivery } from '../../src/catalog/track.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Store } from '../../src/storage/store.ts';
import { ADAPTERS } from './adapters.ts';
import { BY, deliveries, delivery, importAll } from './deliveries.ts';
import { allChanges, harnessOf, trackId } from './stores.ts';

async function trackOf(store: Store, id: string): Promise<Track> {
  return (await store.catalog.trackRecord(id))!.track;
}

async function slugsOf(store: Store, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => (await trackOf(store, id)).slug));
}

for (const adapter of ADAPTERS) {
  describe(`deliver on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('stores every value as delivered', async () => {
      const { store, clock } = await open();
      const full = delivery(1, {
        name: 'Nächte "am" Fluß \u0000 😀',
        isrc: 'USUAN1100001',
        audioKey: `${'a'.repeat(64)}.mp3`,
        artworkKey: `${'b'.repeat(64)}.jpg`,
      });
      expect(await importAll(store, [full])).toEqual(['created']);
      const { track, ...record } = (await store.catalog.trackRecord(full.id))!;
      expect(track).toEqual({
        id: full.id,
        name: full.name,
        slug: 'nachte-am-fluss-grinning',
        type: full.type,
        bpm: full.bpm,
        songKey: full.songKey,
        timeSignature: full.timeSignature,
        durationSeconds: full.durationSeconds,
        region: full.region,
        releaseDate: '2020-01-02T00:00:00.000Z',
        hasVocals: full.hasVocals,
        isPRO: full.isPRO,
        tags: full.tags,
        artists: full.artists.map(({ externalId: _, ...credit }) => credit),
        filters: [
          { id: expect.any(String), name: 'Genre 1', slug: 'genre-1', type: 'genre' },
          { id: expect.any(String), name: 'Calm', slug: 'calm', type: 'mood' },
          { id: expect.any(String), name: 'Use 1', slug: 'use-1', type: 'use-case' },
        ],
        isrc: full.isrc,
        hasAudio: true,
      });
      expect(record).toEqual({
        state: 'live',
        source: 'label',
        externalId: 'label:1',
        audioKey: full.audioKey,
        artworkKey: full.artworkKey,
        createdAt: clock.time,
        updatedAt: clock.time,
      });
    });

    it('gives outcomes in order, and logs one row for each track created or updated', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1), delivery(2)], 'first');
      const head = await store.changes.head();
      const outcomes = await importAll(
        store,
        [delivery(3), delivery(1), delivery(2, { bpm: '99' }), delivery(4)],
        'second',
      );
      expect(outcomes).toEqual(['created', 'unchanged', 'updated', 'created']);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes.map(({ kind, entityId }) => [kind, entityId])).toEqual([
        ['created', trackId(3)],
        ['updated', trackId(2)],
        ['created', trackId(4)],
      ]);
      for (const { by, batchId, entity } of changes) {
        expect({ by, batchId, entity }).toEqual({ by: BY, batchId: 'second', entity: 'track' });
      }
    });

    it('changes nothing and logs nothing the second time, whatever was delivered', async () => {
      const { store, clock } = await open();
      const anyDelivery = fc.record({
        n: fc.nat(40),
        name: fc.string({ unit: 'grapheme', maxLength: 30 }),
        releasedAt: fc.option(fc.integer({ min: -6e13, max: 2e14 })),
        filters: fc.array(
          fc.record({
            type: fc.constantFrom('genre', 'mood', 'use-case'),
            name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
          }),
          { maxLength: 12 },
        ),
        tags: fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(anyDelivery, { selector: ({ n }) => n, maxLength: 20 }),
          async (some) => {
            const batch = some.map(({ n, ...rest }) => delivery(n, rest as Partial<TrackDelivery>));
            clock.time += 1_000;
            await importAll(store, batch);
            const head = await store.changes.head();
            const records = await Promise.all(batch.map(({ id }) => store.catalog.trackRecord(id)));
            clock.time += 1_000;
            expect(await importAll(store, structuredClone(batch))).toEqual(
              batch.map(() => 'unchanged'),
            );
            expect(await store.changes.head()).toBe(head);
            expect(await Promise.all(batch.map(({ id }) => store.catalog.trackRecord(id)))).toEqual(
              records,
            );
          },
        ),
        { numRuns: 40 },
      );
    });

    it('keeps slug, creation time, release date, audio and artwork that a change leaves unsaid', async () => {
      const { store, clock } = await open();
      const id = trackId(1);
      const audioKey = `${'a'.repeat(64)}.mp3`;
      const artworkKey = `${'b'.repeat(64)}.jpg`;
      await importAll(store, [delivery(1, { releasedAt: null, audioKey, artworkKey })]);
      const created = clock.time;
      clock.time += 86_400_000;
      const changed = delivery(1, { name: 'Renamed', slug: 'wanted', releasedAt: null });
      expect(await importAll(store, [changed])).toEqual(['updated']);
      const record = (await store.catalog.trackRecord(id))!;
      expect(record).toMatchObject({ audioKey, artworkKey, createdAt: created });
      expect(record.updatedAt).toBe(clock.time);
      expect(record.track).toMatchObject({
        name: 'Renamed',
        slug: 'track-1',
        releaseDate: new Date(created).toISOString(),
        hasAudio: true,
      });
    });

    it('calls a delivery unchanged that only leaves unsaid what is there', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, { audioKey: `${'a'.repeat(64)}.mp3`, slug: 'mine' })]);
      const head = await store.changes.head();
      expect(await importAll(store, [delivery(1, { releasedAt: null })])).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1, { slug: 'other' })])).toEqual(['unchanged']);
      expect(await store.changes.head()).toBe(head);
    });

    it('calls a second, different record of an id a duplicate, and an identical one unchanged', async () => {
      const { store } = await open();
      const session = await store.catalog.openDelivery(BY, 'b');
      const first = delivery(1);
      const other = delivery(1, { bpm: '99' });
      expect(await session.deliver([first, other, delivery(1), other])).toEqual([
        'created',
        'duplicate',
        'unchanged',
        'duplicate',
      ]);
      expect(await session.deliver([other, first])).toEqual(['duplicate', 'unchanged']);
      await session.close();
      expect((await trackOf(store, first.id)).bpm).toBe('120');
      expect(await importAll(store, [other, first])).toEqual(['updated', 'duplicate']);
    });

    it('gives new values to a taken-down track and never restores it', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      await store.catalog.setState(trackId(1), 'taken_down', BY);
      expect(await importAll(store, [delivery(1)])).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1, { name: 'New' })])).toEqual(['updated']);
      const record = (await store.catalog.trackRecord(trackId(1)))!;
      expect(record.state).toBe('taken_down');
      expect(record.track.name).toBe('New');
      expect(await store.catalog.document(trackId(1))).toBeUndefined();
    });

    it('undoes a batch whole when one of it cannot be written', async () => {
      const { store } = await open();
      const session = await store.catalog.openDelivery(BY, 'b');
      const bad = delivery(2, { durationSeconds: -1, filters: [{ type: 'mood', name: 'New' }] });
      await expect(session.deliver([delivery(1), bad])).rejects.toThrow();
      expect(await store.changes.head()).toBe(0);
      expect(await store.catalog.filters()).toEqual([]);
      expect(await store.catalog.isUntouched()).toBe(true);
      expect(await session.deliver([delivery(1), delivery(2)])).toEqual(['created', 'created']);
      await session.close();
    });

    it('previews the outcomes without writing', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1), delivery(2), delivery(3)]);
      const head = await store.changes.head();
      const session = await store.catalog.openDelivery(BY, 'b');
      expect(
        await session.preview([
          delivery(1),
          delivery(2, { bpm: '99' }),
          delivery(2),
          delivery(3, { filters: [{ type: 'mood', name: 'Never seen' }] }),
          delivery(4),
          delivery(4),
        ]),
      ).toEqual(['unchanged', 'updated', 'duplicate', 'updated', 'created', 'unchanged']);
      expect(await session.preview([delivery(4, { bpm: '1' })])).toEqual(['duplicate']);
      await session.close();
      expect(await store.changes.head()).toBe(head);
      expect(await store.catalog.counts()).toMatchObject({ live: 3, filters: 7 });
    });

    it('previews what deliver then does, on any mix', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(6), fc.nat(2)), { maxLength: 8 }),
          fc.array(fc.tuple(fc.nat(6), fc.nat(2)), { maxLength: 12 }),
          async (before, batch) => {
            const { store } = await open();
            const of = ([n, bpm]: [number, number]) => delivery(n, { bpm: String(bpm) });
            await importAll(store, before.map(of));
            const session = await store.catalog.openDelivery(BY, 'p');
            const previewed = await session.preview(batch.map(of));
            await session.close();
            expect(await importAll(store, batch.map(of))).toEqual(previewed);
          },
        ),
        { numRuns: 15 },
      );
    });
  });

  describe(`prune on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('takes down the live tracks of the source that were not delivered, and only those', async () => {
      const { store } = await open();
      await importAll(store, [...deliveries(0, 1_200), delivery(5_000, { source: 'other' })]);
      await store.catalog.setState(trackId(3), 'taken_down', BY);
      const head = await store.changes.head();
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.deliver(deliveries(0, 3));
      expect(await session.countAbsent('label')).toBe(1_196);
      expect(await session.takeDownAbsent('label')).toBe(1_196);
      expect(await session.countAbsent('label')).toBe(0);
      expect(await session.takeDownAbsent('label')).toBe(0);
      await session.close();
      expect(await store.catalog.counts()).toMatchObject({ live: 4, takenDown: 1_197 });
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes).toHaveLength(1_196);
      expect(new Set(changes.map(({ kind, batchId }) => `${kind} ${batchId}`))).toEqual(
        new Set(['taken_down full']),
      );
    });

    it('counts what a preview has seen as delivered', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 5));
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.preview([delivery(0), delivery(1, { bpm: '1' }), delivery(9)]);
      expect(await session.countAbsent('label')).toBe(3);
      await session.close();
    });
  });

  describe(`slugs of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('numbers a name that is there thousands of times', async () => {
      const { store } = await open();
      const batch = deliveries(0, 3_000).map((one) => ({ ...one, name: 'Intro' }));
      await importAll(store, batch);
      const slugs = await slugsOf(store, [trackId(0), trackId(1), trackId(2_999)]);
      expect(slugs).toEqual(['intro', 'intro-2', 'intro-3000']);
    });

    it('passes over numbers that names have taken, and numbers a supplied slug too', async () => {
      const { store } = await open();
      await importAll(store, [
        delivery(1, { name: 'Intro 2' }),
        delivery(2, { name: 'Intro' }),
        delivery(3, { name: 'Intro' }),
        delivery(4, { slug: 'intro' }),
        delivery(5, { slug: 'my-own' }),
        delivery(6, { name: 'My own' }),
      ]);
      expect(await slugsOf(store, [1, 2, 3, 4, 5, 6].map(trackId))).toEqual([
        'intro-2',
        'intro',
        'intro-3',
        'intro-4',
        'my-own',
        'my-own-2',
      ]);
    });

    it('avoids reserved and UUID-shaped ones, and falls back to the id', async () => {
      const { store } = await open();
      const uuid = newId();
      await importAll(store, [
        delivery(1, { name: 'Changes' }),
        delivery(2, { name: uuid }),
        delivery(3, { name: '*****' }),
        delivery(4, { slug: 'stream-urls' }),
      ]);
      expect(await slugsOf(store, [1, 2, 3, 4].map(trackId))).toEqual([
        'changes-2',
        `${uuid}-2`,
        `track-${trackId(3).slice(0, 8)}`,
        'stream-urls-2',
      ]);
    });

    it('are unique for any names and supplied slugs, also by two importers at once', async () => {
      const { store, another } = await open();
      const second = await another();
      const names = fc.constantFrom('Intro', 'Intro 2', 'intro', 'INTRO 2 2', 'Changes', '?', 'x');
      const slugs = fc.option(fc.constantFrom('intro', 'intro-2', 'x', 'batch'));
      let n = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(names, slugs), { minLength: 2, maxLength: 30 }),
          async (wanted) => {
            const batch = wanted.map(([name, slug]) => delivery(n++, { name, slug }));
            const half = batch.length >> 1;
            await Promise.all([
              importAll(store, batch.slice(0, half)),
              importAll(second, batch.slice(half)),
            ]);
          },
        ),
        { numRuns: 20 },
      );
      const all = await slugsOf(
        store,
        Array.from({ length: n }, (_, i) => trackId(i)),
      );
      expect(new Set(all).size).toBe(n);
    });
  });

  describe(`filters on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const named = (n: number, filters: TrackDelivery['filters']) => delivery(n, { filters });

    it('are one for all spellings with one slug in one type, under the name that came first', async () => {
      const { store } = await open();
      await importAll(store, [
        named(1, [
          { type: 'genre', name: 'Hip-Hop' },
          { type: 'genre', name: 'hip hop' },
        ]),
        named(2, [{ type: 'genre', name: 'HIP HOP' }]),
      ]);
      const filters = await store.catalog.filters();
      expect(filters).toMatchObject([{ name: 'Hip-Hop', slug: 'hip-hop', type: 'genre' }]);
      expect((await trackOf(store, trackId(1))).filters).toEqual(filters);
      expect((await trackOf(store, trackId(2))).filters).toEqual(filters);
    });

    it('have slugs unique over all types, and equal ids in every catalog', async () => {
      const { store } = await open();
      const other = (await open()).store;
      const batch = [
        named(1, [
          { type: 'genre', name: 'Dark' },
          { type: 'mood', name: 'Dark' },
          { type: 'mood', name: '???' },
          { type: 'mood', name: '!!!' },
        ]),
      ];
      await importAll(store, batch);
      await importAll(other, [
        named(1, [
          { type: 'mood', name: '!!!' },
          { type: 'mood', name: 'dark' },
        ]),
      ]);
      const filters = await store.catalog.filters();
      expect(filters.map(({ type, name }) => [type, name])).toEqual([
        ['genre', 'Dark'],
        ['mood', '!!!'],
        ['mood', '???'],
        ['mood', 'Dark'],
      ]);
      expect(filters.map(({ slug }) => slug)).toEqual([
        'dark',
        `filter-${filters[1]!.id.slice(0, 8)}`,
        `filter-${filters[2]!.id.slice(0, 8)}`,
        'dark-2',
      ]);
      const ids = new Map((await other.catalog.filters()).map(({ name, id }) => [name, id]));
      expect(ids.get('!!!')).toBe(filters[1]!.id);
      expect(ids.get('dark')).toBe(filters[3]!.id);
    });
  });
}
