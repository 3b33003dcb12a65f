import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_AUDIO } from '../../src/features/catalog/audio-properties.ts';
import type { Track, TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

async function trackOf(store: Store, id: string): Promise<Track> {
  return (await store.catalog.trackRecord(id))!.track;
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
        vocals: 'unknown',
        isPRO: full.isPRO,
        tags: full.tags,
        artists: full.artists.map(({ externalId: _, ...credit }) => credit),
        filters: [
          { id: expect.any(String), name: 'Genre 1', slug: 'genre-1', type: 'genre' },
          { id: expect.any(String), name: 'Calm', slug: 'calm', type: 'mood' },
          { id: expect.any(String), name: 'Use 1', slug: 'use-1', type: 'use-case' },
        ],
        isrc: full.isrc,
        audio: { format: 'mp3', contentType: 'audio/mpeg', ...UNKNOWN_AUDIO },
        hasAudio: true,
        detected: [],
        provenance: { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null },
      });
      expect(record).toEqual({
        state: 'live',
        source: 'label',
        externalId: 'label:1',
        audioKey: full.audioKey,
        artworkKey: full.artworkKey,
        ...{ previewStart: null, previewKey: null, waveformKey: null },
        availability: [],
        createdAt: clock.now(),
        updatedAt: clock.now(),
      });
    });

    it('returns the outcomes in order, and logs one change for each track created or updated', async () => {
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

    it('changes and logs nothing if the same tracks are delivered again', async () => {
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
            clock.advance(1);
            await importAll(store, batch);
            const head = await store.changes.head();
            const records = await Promise.all(batch.map(({ id }) => store.catalog.trackRecord(id)));
            clock.advance(1);
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

    it('keeps slug, creation time, release date, audio and artwork if a change omits them', async () => {
      const { store, clock } = await open();
      const id = trackId(1);
      const audioKey = `${'a'.repeat(64)}.mp3`;
      const artworkKey = `${'b'.repeat(64)}.jpg`;
      await importAll(store, [delivery(1, { releasedAt: null, audioKey, artworkKey })]);
      const created = clock.now();
      clock.advance(86_400);
      const changed = delivery(1, { name: 'Renamed', slug: 'wanted', releasedAt: null });
      expect(await importAll(store, [changed])).toEqual(['updated']);
      const record = (await store.catalog.trackRecord(id))!;
      expect(record).toMatchObject({ audioKey, artworkKey, createdAt: created });
      expect(record.updatedAt).toBe(clock.now());
      expect(record.track).toMatchObject({
        name: 'Renamed',
        slug: 'track-1',
        releaseDate: new Date(created).toISOString(),
        hasAudio: true,
      });
    });

    it('returns unchanged for a delivery that only omits stored values', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, { audioKey: `${'a'.repeat(64)}.mp3`, slug: 'mine' })]);
      const head = await store.changes.head();
      expect(await importAll(store, [delivery(1, { releasedAt: null })])).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1, { slug: 'other' })])).toEqual(['unchanged']);
      expect(await store.changes.head()).toBe(head);
    });

    it('returns duplicate for a second, different record of an id, and unchanged for an identical one', async () => {
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

    it('changes the values of a track that was taken down, and never restores it', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      expect(await importAll(store, [delivery(1)])).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1, { name: 'New' })])).toEqual(['updated']);
      const record = (await store.catalog.trackRecord(trackId(1)))!;
      expect(record.state).toBe('taken_down');
      expect(record.track.name).toBe('New');
      expect(await store.catalog.document(trackId(1))).toBeUndefined();
    });

    it('accepts a track only from its source until that source withdraws it', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1), delivery(2)], 'first');
      const head = await store.changes.head();
      const other = (n: number) => delivery(n, { source: 'other', name: 'Theirs' });
      const batch = [other(1), other(1), other(3), delivery(3)];
      const session = await store.catalog.openDelivery(BY, 'p');
      const outcomes = ['foreign', 'foreign', 'created', 'duplicate'];
      expect(await session.preview(batch)).toEqual(outcomes);
      await session.close();
      expect(await importAll(store, batch, 'second')).toEqual(outcomes);
      expect(await kindsAfter(store, head)).toEqual(['track.created']);
      expect(await store.catalog.trackRecord(trackId(1))).toMatchObject({
        source: 'label',
        track: { name: 'Track 1' },
      });

      const full = await store.catalog.openDelivery(BY, 'full');
      await full.deliver([delivery(2)]);
      await full.withdrawAbsent('label');
      await full.close();
      expect(await importAll(store, [other(1)], 'third')).toEqual(['updated']);
      expect(await store.catalog.trackRecord(trackId(1))).toMatchObject({
        source: 'other',
        state: 'live',
      });
      expect(await importAll(store, [delivery(1)], 'fourth')).toEqual(['foreign']);
    });

    it('returns the delivered tracks that stay taken down', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 6));
      for (const n of [1, 2, 3]) await setTrackState(store, trackId(n), 'taken_down', BY);
      const session = await store.catalog.openDelivery(BY, 'b');
      expect(await session.takenDown(9)).toEqual({ count: 0, slugs: [] });
      await session.deliver([delivery(0), delivery(1), delivery(8)]);
      await session.preview([delivery(2, { bpm: '1' })]);
      await setTrackState(store, trackId(8), 'taken_down', BY);
      const slugs = ['track-1', 'track-2', 'track-8'];
      expect(await session.takenDown(9)).toEqual({ count: 3, slugs });
      expect(await session.takenDown(1)).toEqual({ count: 3, slugs: ['track-1'] });
      expect(await session.withdrawAbsent('label')).toBe(2);
      expect(await session.takenDown(0)).toEqual({ count: 3, slugs: [] });
      await session.close();
    });

    it('rolls back what belongs to a delivery that cannot be written', async () => {
      const { store } = await open();
      const session = await store.catalog.openDelivery(BY, 'b');
      const bad = delivery(2, { durationSeconds: -1, filters: [{ type: 'mood', name: 'New' }] });
      // Alone, because a slow machine commits an earlier delivery before this one.
      await expect(session.deliver([bad])).rejects.toThrow();
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

    it('previews the same outcomes as the delivery, for any deliveries', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(6), fc.nat(2)), { maxLength: 8 }),
          fc.array(fc.tuple(fc.nat(6), fc.nat(2)), { maxLength: 12 }),
          async (before, batch) => {
            await using harness = await open();
            const { store } = harness;
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
    }, 120_000);
  });
}
