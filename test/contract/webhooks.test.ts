import { describe, expect, it } from 'vitest';
import { SECRET_OVERLAP_MS } from '../../src/features/webhooks/webhook.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import {
  allChanges,
  expectNotFound,
  harnessOf,
  kindsAfter,
  someClient,
} from '../harness/stores.ts';
import { ANY, asClient } from './collections-support.ts';
import { withWebhooks } from './webhooks-support.ts';

for (const adapter of ADAPTERS) {
  describe(`webhooks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => withWebhooks(await open());

    it('are created, edited and deleted, and each change is logged with its client', async () => {
      const { store, clock, me, create } = await start();
      const head = await store.changes.head();
      const created = await create({ eventTypes: ['track.updated', 'track.created'] });
      expect(created).toEqual({
        id: created.id,
        url: 'https://partner.example/hook',
        eventTypes: ['track.created', 'track.updated'],
        description: '',
        referencedOnly: false,
        hasAuthorization: false,
        enabled: true,
        disabledReason: null,
        version: 1,
        createdAt: clock.now(),
        updatedAt: clock.now(),
      });
      clock.advance(1);
      const change = { url: 'https://b.example', referencedOnly: true, enabled: false };
      const changed = { ...created, ...change, version: 2, updatedAt: clock.now() };
      expect(await store.webhooks.update(created.id, change, ANY, me)).toEqual(changed);
      expect(await store.webhooks.find(created.id, me)).toEqual(changed);
      const stale = (version: number) => {
        if (version !== 1) throw new Error('stale');
      };
      await expect(store.webhooks.update(created.id, {}, stale, me)).rejects.toThrow('stale');
      await expect(store.webhooks.delete(created.id, stale, me)).rejects.toThrow('stale');
      await store.webhooks.delete(created.id, ANY, me);
      await expectNotFound(
        store.webhooks.find(created.id, me),
        store.webhooks.delete(created.id, ANY, me),
      );
      expect(await kindsAfter(store, head)).toEqual([
        'webhook.created',
        'webhook.updated',
        'webhook.deleted',
      ]);
      const last = (await allChanges(store)).at(-1);
      expect(last).toMatchObject({ entityId: created.id, clientId: me.clientId, mode: 'live' });
    });

    it('belong to one client and mode', async () => {
      const { store, clock, client, me, create } = await start();
      const other = someClient();
      await store.clients.create(other, BY);
      const live = await create();
      clock.advance(1);
      const newer = await create();
      const test = await create({}, asClient(client.id, 'test'));
      for (const stranger of [asClient(client.id, 'test'), asClient(other.id)]) {
        await expectNotFound(
          store.webhooks.find(live.id, stranger),
          store.webhooks.update(live.id, {}, ANY, stranger),
          store.webhooks.delete(live.id, ANY, stranger),
          store.webhookDeliveries.ping(live.id, stranger),
        );
      }
      const list = (offset: number) => store.webhooks.list(me, { offset, limit: 1 });
      expect(await list(0)).toEqual({ webhooks: [newer], total: 2 });
      expect(await list(1)).toEqual({ webhooks: [live], total: 2 });
      const records = await store.webhooks.records(client.id);
      expect(records.map(({ id, mode }) => [id, mode])).toEqual([
        ...[newer, test]
          .map(({ id }) => id)
          .toSorted()
          .toReversed()
          .map((id) => [id, id === test.id ? 'test' : 'live']),
        [live.id, 'live'],
      ]);
      expect(await store.webhooks.records()).toEqual(records);
      expect(await store.webhooks.record(live.id)).toEqual({
        ...live,
        clientId: client.id,
        mode: 'live',
        isFailing: false,
      });
      await expectNotFound(store.webhooks.records('none'));
    });

    it('are at most 10 of a client in a mode', async () => {
      const { client, create } = await start();
      for (let n = 0; n < 10; n++) await create();
      await expect(create()).rejects.toMatchObject({ kind: 'conflict' });
      await create({}, asClient(client.id, 'test'));
    });

    it('keep three earlier secrets for a day, unless all are revoked', async () => {
      const { store, clock, me, create } = await start();
      const { id } = await create();
      const rotate = (revokePrevious = false) =>
        store.webhooks.rotateSecret(id, { secret: Buffer.alloc(32, 2), revokePrevious }, me);
      const until = clock.now() + SECRET_OVERLAP_MS;
      expect(await rotate()).toEqual({ previousValidUntil: until });
      clock.advance(1);
      await rotate();
      await rotate();
      await expect(rotate()).rejects.toMatchObject({ kind: 'conflict' });
      clock.advance(SECRET_OVERLAP_MS / 1_000 - 1);
      // The first one has expired.
      expect(await rotate()).toEqual({ previousValidUntil: clock.now() + SECRET_OVERLAP_MS });
      await expect(rotate()).rejects.toMatchObject({ kind: 'conflict' });
      expect(await rotate(true)).toEqual({ previousValidUntil: null });
      await rotate();
    });

    it('are enabled by the partner unless the operator disabled them', async () => {
      const { store, clock, me, create } = await start();
      const { id } = await create();
      const { webhooks } = store;
      const enable = (enabled: boolean) => webhooks.update(id, { enabled }, ANY, me);
      await enable(false);
      expect(await webhooks.setEnabled(id, false, BY)).toBe(true);
      expect(await webhooks.setEnabled(id, false, BY)).toBe(false);
      expect(await webhooks.find(id, me)).toMatchObject({ disabledReason: 'operator', version: 3 });
      await expect(enable(true)).rejects.toMatchObject({ kind: 'conflict' });
      expect(await enable(false)).toMatchObject({ disabledReason: 'operator' });
      clock.advance(1);
      expect(await webhooks.setEnabled(id, true, BY)).toBe(true);
      expect(await webhooks.setEnabled(id, true, BY)).toBe(false);
      expect(await webhooks.find(id, me)).toMatchObject({ enabled: true, disabledReason: null });
      await enable(false);
      expect(await enable(true)).toMatchObject({ enabled: true, disabledReason: null });
    });

    it('end with their client', async () => {
      const { store, client, create } = await start();
      const { id } = await create();
      await store.webhookDeliveries.ping(id, 'operator');
      await store.clients.delete(client.id, BY);
      expect(await store.webhooks.records()).toEqual([]);
    });
  });
}
