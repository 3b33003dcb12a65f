import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { ChangeFilter } from '../../src/engines/change-log/change-log.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

for (const adapter of ADAPTERS) {
  describe(`the change log on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('returns changes of the requested entities, in order, up to a limit', async () => {
      const { store, clock } = await open();
      const client = someClient();
      await importAll(store, deliveries(0, 3));
      await store.clients.create(client, 'cli:anna');
      await importAll(store, deliveries(3, 5));
      await store.clients.delete(client.id, BY);
      const everything = await allChanges(store);
      expect(everything.map(({ seq }) => seq)).toEqual(
        everything.map(({ seq }) => seq).toSorted((a, b) => a - b),
      );
      expect(await store.changes.since(0, ['client'], 10)).toEqual([
        {
          seq: everything[3]!.seq,
          at: clock.now(),
          entity: 'client',
          kind: 'created',
          entityId: client.id,
          by: 'cli:anna',
          batchId: null,
          clientId: null,
          mode: null,
          changed: null,
        },
        everything[6],
      ]);
      expect(await store.changes.since(0, ['track', 'client'], 4)).toEqual(everything.slice(0, 4));
      const after = everything[3]!.seq;
      expect(await store.changes.since(after, ['client', 'track'], 100)).toEqual(
        everything.slice(4),
      );
      expect(await store.changes.since(everything.at(-1)!.seq, ['track'], 100)).toEqual([]);
      expect(await store.changes.since(0, ['playlist', 'key'], 100)).toEqual([]);
      expect(await store.changes.since(0, [], 100)).toEqual([]);
    });

    it('records the partner of a change, its mode and what changed', async () => {
      const { store, clock, location } = await open();
      const recipients = [newId(), newId()];
      const cause = { by: 'client:one', batchId: null, clientId: newId(), mode: 'test' } as const;
      await using database = await openDatabase(adapter, location, clock);
      await database.sql.write(async ({ log }) => {
        await log(
          'collection',
          [
            ['created', 'a'],
            ['shared', 'a', recipients],
          ],
          cause,
        );
      });
      const shared = { entity: 'collection', entityId: 'a', at: clock.now(), ...cause };
      expect(await store.changes.since(0, ['collection', 'track'], 10)).toEqual([
        { seq: 1, kind: 'created', changed: null, ...shared },
        { seq: 2, kind: 'shared', changed: recipients, ...shared },
      ]);
      expect(await store.changes.latest(1)).toEqual([
        { seq: 2, kind: 'shared', changed: recipients, ...shared, reason: null, reference: null },
      ]);
    });

    it('returns the newest changes first, page by page', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 10));
      const newestFirst = (await allChanges(store))
        .toReversed()
        .map((change) => ({ ...change, reason: null, reference: null }));
      const page = await store.changes.latest(4);
      expect(page).toEqual(newestFirst.slice(0, 4));
      const beforeSeq = page.at(-1)!.seq;
      expect(await store.changes.latest(100, { beforeSeq })).toEqual(newestFirst.slice(4));
    });

    it('returns the newest changes that match every part of a filter', async () => {
      const { store, clock } = await open();
      const start = clock.now();
      await importAll(store, deliveries(0, 3));
      clock.advance(1);
      const client = someClient();
      await store.clients.create(client, 'cli:anna');
      await setTrackState(store, trackId(1), 'taken_down', 'cli:anna');
      clock.advance(1);
      await setTrackState(store, trackId(1), 'live', BY);
      const all = (await allChanges(store)).toReversed();
      const found = async (filter: ChangeFilter) =>
        (await store.changes.latest(100, filter)).map(({ seq }) => all[0]!.seq - seq);
      expect(await found({})).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await found({ entity: 'track', entityId: trackId(1) })).toEqual([0, 1, 4]);
      expect(await found({ entity: 'client', entityId: client.id })).toEqual([2]);
      expect(await found({ entity: 'client', entityId: trackId(1) })).toEqual([]);
      expect(await found({ by: 'cli:anna' })).toEqual([1, 2]);
      expect(await found({ kind: 'created' })).toEqual([2, 3, 4, 5]);
      expect(await found({ kind: 'created', entity: 'track', beforeSeq: all[4]!.seq })).toEqual([
        5,
      ]);
      expect(await found({ since: start + 1_000, until: start + 1_999 })).toEqual([1, 2]);
      expect(await found({ since: start + 1_001 })).toEqual([0]);
      expect(await found({ until: start })).toEqual([3, 4, 5]);
      expect(await store.changes.latest(1, { by: 'cli:anna' })).toMatchObject([all[1]!]);
    });

    it('finds the creations of a track that was removed, and imported again', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3), 'first');
      clock.advance(1);
      await store.catalog.removeSource('label', BY);
      const found = async (filter: ChangeFilter = {}) =>
        (await store.changes.latest(100, { entityId: trackId(1), ...filter })).map(
          ({ kind, batchId }) => `${kind} ${batchId}`,
        );
      const removed = await found();
      expect(removed).toEqual([expect.stringMatching(/^removed /), 'created first']);
      clock.advance(1);
      await importAll(store, deliveries(0, 3), 'second');
      expect(await found()).toEqual(['created second', ...removed]);
      expect(await found({ since: clock.now() })).toEqual(['created second']);
      expect(await found({ batchId: 'first' })).toEqual(['created first']);
      expect(await found({ kind: 'removed' })).toEqual(removed.slice(0, 1));
      expect(await found({ beforeSeq: 4 })).toEqual(['created first']);
    });

    it('finds the creation of a track that follows many changes of a clock that was ahead', async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      clock.advance(3_600);
      const many = Array.from({ length: 30_001 }, (_, i) => ['created', `list-${i}`] as const);
      await database.sql.write(({ log }) => log('collection', many, { by: BY, batchId: null }));
      clock.advance(-3_000);
      await importAll(store, deliveries(0, 1), 'late');
      expect(await store.changes.latest(2, { entityId: trackId(0) })).toMatchObject([
        { kind: 'created', batchId: 'late', seq: 30_002 },
      ]);
    });

    it('keeps the reason of a change for the operator, and finds it by parts of it', async () => {
      const { store, location, clock } = await open();
      await importAll(store, [delivery(1), delivery(2, { source: 'other' })], 'batch-1');
      const why = { reason: 'Claim of 50%_!', reference: 'Brief-7' };
      await using database = await openDatabase(adapter, location, clock);
      await database.sql.write(async ({ log }) => {
        await log('track', [['taken_down', trackId(1)]], { by: BY, batchId: null, ...why });
        await log('key', [['rotated', 'k']], {
          by: BY,
          batchId: null,
          reason: 'x',
          reference: null,
        });
      });
      const [followed] = await store.changes.since(2, ['track'], 10);
      expect(Object.keys(followed!)).not.toContain('reason');
      const found = async (filter: ChangeFilter) =>
        (await store.changes.latest(100, filter)).map(({ seq }) => seq);
      expect((await store.changes.latest(9, { entity: 'track', beforeSeq: 4 }))[0]).toMatchObject(
        why,
      );
      for (const text of ['claim', 'of 50%_!', 'BRIEF-7'])
        expect(await found({ text })).toEqual([3]);
      for (const text of ['50__', 'nothing', '%']) {
        expect(await found({ text })).toEqual(text === '%' ? [3] : []);
      }
      expect(await found({ source: 'label' })).toEqual([3, 1]);
      expect(await found({ source: 'other' })).toEqual([2]);
      expect(await found({ batchId: 'batch-1' })).toEqual([2, 1]);
      expect(await found({ batchId: 'batch-1', source: 'other' })).toEqual([2]);
    });

    it('deletes old changes except takedowns, restorations and removals, and never reuses a seq', async () => {
      const { store, clock } = await open();
      const start = clock.now();
      await importAll(store, deliveries(0, 2_500));
      await setTrackState(store, trackId(1), 'taken_down', BY);
      await setTrackState(store, trackId(1), 'live', BY);
      await importAll(store, [delivery(9_999, { source: 'gone' })]);
      await store.catalog.removeSource('gone', BY);
      const head = await store.changes.head();
      expect(await store.changes.expire(start)).toBe(0);
      clock.advance(1);
      await store.clients.create(someClient(), BY);
      expect(await store.changes.expire(clock.now())).toBe(2_501);
      expect(await store.changes.expire(clock.now())).toBe(0);
      expect((await allChanges(store)).map(({ entity, kind }) => `${entity}.${kind}`)).toEqual([
        'track.taken_down',
        'track.restored',
        'track.removed',
        'client.created',
      ]);
      clock.advance(1);
      expect(await store.changes.expire(clock.now())).toBe(1);
      expect(await store.changes.head()).toBe(head + 1);
      await store.clients.create(someClient(), BY);
      expect(await store.changes.head()).toBe(head + 2);
    });

    it('starts at 0', async () => {
      const { store } = await open();
      expect(await store.changes.head()).toBe(0);
      expect(await store.changes.latest(10)).toEqual([]);
      expect(await store.changes.expire(Number.MAX_SAFE_INTEGER)).toBe(0);
    });

    it('misses no change for a reader that polls while several processes write', async () => {
      const { store, another } = await open();
      const writers = await Promise.all([another(), another(), another()]);
      const seen: number[] = [];
      let writing = true;
      const reading = (async () => {
        for (let last = 0; ; ) {
          const finished = !writing;
          const changes = await store.changes.since(last, ['track', 'client'], 7);
          seen.push(...changes.map(({ seq }) => seq));
          last = seen.at(-1) ?? 0;
          if (finished && changes.length === 0) return;
          if (changes.length === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      await Promise.all(
        writers.map(async (writer, w) => {
          for (let i = 0; i < 20; i++) {
            await writer.clients.create(someClient({ id: newId() }), BY);
            await importAll(writer, [delivery(1_000 * w + i)]);
          }
        }),
      );
      writing = false;
      await reading;
      expect(seen).toEqual((await allChanges(store)).map(({ seq }) => seq));
      expect(seen).toHaveLength(120);
    });
  });

  describe(`settings on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are set, replaced and deleted', async () => {
      const { store } = await open();
      expect(await store.settings.get('demo')).toBeUndefined();
      expect(await store.settings.add('demo', 'first')).toBe('first');
      expect(await store.settings.add('demo', 'second')).toBe('first');
      await store.settings.set('demo', 'a');
      await store.settings.set('demo', 'b');
      expect(await store.settings.get('demo')).toBe('b');
      await store.settings.delete('demo');
      await store.settings.delete('demo');
      expect(await store.settings.get('demo')).toBeUndefined();
    });
  });
}
