import { describe, expect, it } from 'vitest';
import { readCursor, renewLogEpoch } from '../../src/engines/change-log/positions.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, asClient } from './collections-support.ts';
import { brokenLinks, withFanOut } from './webhook-fan-out-support.ts';

const TRACK_TYPES = [
  'track.created',
  'track.updated',
  'track.taken_down',
  'track.restored',
] as const;

for (const adapter of ADAPTERS) {
  describe(`the fan-out of changes on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => withFanOut(await open());

    it('sends changes of tracks with what refers to them, in a chain', async () => {
      const { store, create, run, sent, client } = await start();
      const { id } = await create({ eventTypes: [...TRACK_TYPES] });
      await importAll(store, deliveries(0, 2));
      await run();
      const [created, ...none] = await sent(id);
      expect(none).toEqual([]);
      const changes = await store.changes.since(0, ['track'], 10);
      const [first, last] = changes;
      expect(created).toEqual({
        type: 'track.created',
        timestamp: new Date(last!.at).toISOString(),
        data: {
          mode: 'live',
          fromSeq: first!.seq,
          seq: last!.seq,
          previousSeq: 0,
          count: 2,
          truncated: false,
          cursor: expect.any(String),
          batchId: first!.batchId,
          items: changes.map(({ seq, entityId, at }) => ({
            seq,
            trackId: entityId,
            version: seq,
            occurredAt: new Date(at).toISOString(),
            changedFields: [],
            references: { playlists: 0, collections: 0, licenses: 0 },
          })),
        },
      });
      const { epoch } = await store.changes.bounds();
      expect(readCursor(created!.data.cursor)).toEqual({ epoch, seq: first!.seq - 1 });
      const playlist = { id: trackId(9), name: 'P', description: '', createdAt: 1, updatedAt: 1 };
      await store.playlists.create(playlist, [trackId(0)], BY);
      await store.playlists.grant(playlist.id, client.id, BY);
      await store.clients.update(client.id, { features: ['webhooks'] }, BY);
      await setTrackState(store, trackId(0), 'taken_down', BY);
      await run();
      await setTrackState(store, trackId(0), 'live', BY);
      await setTrackState(store, trackId(0), 'taken_down', BY);
      await run();
      await run();
      const takedowns = (await sent(id)).filter(({ type }) => type === 'track.taken_down');
      expect(brokenLinks(takedowns, 0)).toEqual([]);
      expect(takedowns.map(({ data }) => [data.count, data.cursor])).toEqual([
        [1, undefined],
        [1, undefined],
      ]);
      expect(takedowns[0]!.data.items[0].references.playlists).toBe(1);
      expect((await sent(id)).map(({ type }) => type).sort()).toEqual([
        'track.created',
        'track.restored',
        'track.taken_down',
        'track.taken_down',
      ]);
    });

    it('divides changes into small messages, and more than 1,000 into none', async () => {
      const { store, create, run, sent } = await start();
      const { id } = await create();
      await importAll(store, deliveries(0, 120));
      await run();
      const messages = await sent(id);
      expect(messages.map(({ data }) => data.count).slice(0, -1)).toEqual(
        messages.slice(0, -1).map(() => 50),
      );
      expect(messages.flatMap(({ data }) => data.items)).toHaveLength(120);
      expect(brokenLinks(messages, 0)).toEqual([]);
      await importAll(store, deliveries(120, 1_120));
      const from = (await store.changes.bounds()).head - 1_000;
      await run();
      const [truncated] = (await sent(id)).slice(messages.length);
      expect(truncated!.data).toMatchObject({
        count: 1_000,
        truncated: true,
        items: [],
        previousSeq: messages.at(-1)!.data.seq,
      });
      expect(readCursor(truncated!.data.cursor)!.seq).toBe(truncated!.data.fromSeq - 1);
      expect(truncated!.data.fromSeq).toBeGreaterThanOrEqual(from);
      // A thousand are not delivered.
      await importAll(store, deliveries(1_120, 1_121));
      await run();
      const all = await sent(id);
      expect(all.at(-1)!.data).toMatchObject({ count: 1, truncated: true, items: [] });
      expect(brokenLinks(all, 0)).toEqual([]);
    });

    it('names a thousand new changes, and not one more', async () => {
      const { store, clock, create, run, sent } = await start();
      for (const count of [1_000, 1_001]) {
        const { id } = await create();
        await importAll(
          store,
          deliveries(2_000 * (count - 1_000), 2_000 * (count - 1_000) + count),
        );
        await run();
        const messages = await sent(id);
        const items = messages.flatMap(({ data }) => data.items);
        expect([messages.length, items.length]).toEqual(count === 1_000 ? [20, 1_000] : [1, 0]);
        expect(messages.reduce((sum, { data }) => sum + data.count, 0)).toBe(count);
        expect(brokenLinks(messages, 0)).toEqual([]);
        for (const { data } of messages) {
          expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(20_000);
        }
        clock.advance(1);
      }
    });

    it('sends each change once, whoever runs it', async () => {
      const { store, clock, another, create, run, sent } = await start();
      const { id } = await create();
      await importAll(store, deliveries(0, 10));
      const other = await another();
      const { webhookFanOut } = store;
      const from = (await webhookFanOut.position())!;
      const { head } = await store.changes.bounds();
      expect(await webhookFanOut.move(from, head)).toBe(true);
      expect(await other.webhookFanOut.move(from, head)).toBe(false);
      expect(await other.webhookFanOut.append(from, head, [])).toBe(false);
      await importAll(store, deliveries(10, 20));
      await Promise.all([run(), run()]);
      expect((await sent(id)).map(({ data }) => data.count)).toEqual([10]);
      expect(clock.now()).toBeGreaterThan(0);
    });

    it('begins at the registration, and again whenever a type is resumed', async () => {
      const { store, client, me, create, run, sent } = await start();
      await importAll(store, deliveries(0, 1));
      const { id } = await create();
      const add = async (n: number) => {
        await importAll(store, deliveries(n, n + 1));
        await run();
      };
      const shown = async () =>
        (await sent(id)).map(({ data }) => [data.items[0].trackId, data.previousSeq]);
      await add(1);
      expect(await shown()).toEqual([[trackId(1), 0]]);
      const resume = [
        (isOn: boolean) => store.webhooks.update(id, { enabled: isOn }, ANY, me),
        (isOn: boolean) => store.webhooks.setEnabled(id, isOn, BY),
        (isOn: boolean) => store.clients.update(client.id, { enabled: isOn }, BY),
        (isOn: boolean) =>
          store.clients.update(client.id, { features: isOn ? ['webhooks'] : [] }, BY),
        (isOn: boolean) =>
          store.webhooks.update(
            id,
            { eventTypes: isOn ? ['track.created'] : ['track.updated'] },
            ANY,
            me,
          ),
      ];
      let n = 2;
      for (const turn of resume) {
        await turn(false);
        await add(n++);
        await importAll(store, deliveries(n, ++n));
        await turn(true);
        const position = await store.changes.head();
        const known = await shown();
        await add(n++);
        expect(await shown()).toEqual([...known, [trackId(n - 1), position]]);
      }
    });

    it('sends changes only of referenced tracks where that is wanted', async () => {
      const { store, me, create, run, sent } = await start();
      await importAll(store, deliveries(0, 3));
      const eventTypes = [...TRACK_TYPES];
      const { id } = await create({ eventTypes, referencedOnly: true });
      const test = await create(
        { eventTypes, referencedOnly: true },
        asClient(me.clientId, 'test'),
      );
      await store.collections.create(
        { id: trackId(50), name: 'C', description: '', items: [{ track: trackId(1), field: '' }] },
        me,
      );
      for (const n of [0, 1]) await setTrackState(store, trackId(n), 'taken_down', BY);
      await importAll(store, deliveries(3, 4));
      await run();
      const messages = await sent(id);
      expect(messages.map(({ type, data }) => [type, data.items[0].trackId])).toEqual([
        ['track.taken_down', trackId(1)],
        ['track.created', trackId(3)],
      ]);
      expect(messages[0]!.data.items[0].references.collections).toBe(1);
      const ofTest = await sent(test.id, asClient(me.clientId, 'test'));
      expect(ofTest.map(({ type, data }) => [type, data.mode])).toEqual([
        ['track.created', 'test'],
      ]);
    });

    it('sends what changed between the first registration and the first run', async () => {
      const harness = await open();
      const { create, run, sent } = await withFanOut(harness, { isRun: false });
      const { id } = await create();
      await importAll(harness.store, deliveries(0, 1));
      await run();
      await run();
      expect((await sent(id)).map(({ data }) => data.previousSeq)).toEqual([0]);
    });

    it('begins anew, and discards what is pending, in a new history of the log', async () => {
      const { store, me, create, run, sent } = await start();
      const { id } = await create();
      await importAll(store, deliveries(0, 1));
      await run();
      await renewLogEpoch(store.settings);
      await importAll(store, deliveries(1, 2));
      await run();
      const position = await store.changes.head();
      await importAll(store, deliveries(2, 3));
      await run();
      const page = { offset: 0, limit: 10 };
      const { deliveries: found } = await store.webhookDeliveries.list(id, me, page);
      expect(found.map(({ status }) => status)).toEqual(['pending', 'discarded']);
      expect((await sent(id)).at(-1)!.data).toMatchObject({ count: 1, previousSeq: position });
    });
  });
}
