import { describe, expect, it } from 'vitest';
import { newSortableId } from '../../src/common/ids.ts';
import { hashSecret } from '../../src/features/access/secret.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, kindsAfter, someClient } from '../harness/stores.ts';

for (const adapter of ADAPTERS) {
  describe(`seats on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    async function withClient() {
      const { store, clock } = await open();
      const client = someClient();
      await store.clients.create(client, BY);
      const create = async (name: string, clientId = client.id) => {
        const seat = { name, role: 'buyer', mode: 'live', enabled: true } as const;
        const id = newSortableId(clock.now());
        const link = { hash: hashSecret(id), expiresAt: clock.now() + 1_000 };
        await store.seats.create(clientId, { ...seat, id, createdAt: clock.now() }, link, BY);
        return { id, link: link.hash };
      };
      return { store, clock, client, create };
    }

    it('are at most 200 of a client, with names that differ', async () => {
      const { store, client, create } = await withClient();
      const { id } = await create('Ana');
      await expect(create('ANA')).rejects.toMatchObject({ kind: 'conflict' });
      const other = someClient({ id: newSortableId(1) });
      await store.clients.create(other, BY);
      await create('Ana', other.id);
      for (let i = 1; i < 200; i++) await create(`Seat ${i}`);
      await expect(create('One more')).rejects.toMatchObject({ kind: 'conflict' });
      const rename = (name: string) => store.seats.update(id, { name }, BY);
      await expect(rename('seat 7')).rejects.toMatchObject({ kind: 'conflict' });
      await rename('ana');
      expect(await store.seats.records(client.id)).toHaveLength(200);
    });

    it('lose sessions and link when they are disabled, and with their client', async () => {
      const { store, clock, client, create } = await withClient();
      const { id, link } = await create('Ana');
      const before = await store.changes.head();
      const session = (n: number) => ({
        ...{ id: newSortableId(n), hash: hashSecret(String(n)), expiresAt: clock.now() + 1_000 },
      });
      expect(await store.clientSessions.useLink(link, session(1))).toMatchObject({ id });
      expect(await store.clientSessions.useLink(link, session(2))).toBeUndefined();
      await store.seats.setEnabled(id, false, BY);
      await store.seats.setEnabled(id, false, BY);
      expect(await store.clientSessions.all()).toEqual([]);
      await store.seats.setEnabled(id, true, BY);
      await store.seats.addLink(id, { hash: link, expiresAt: clock.now() + 1_000 }, BY);
      await store.clientSessions.useLink(link, session(3));
      expect(await store.seats.endSessions(id, BY)).toBe(1);
      expect((await kindsAfter(store, before)).map((kind) => kind.replace('seat.', ''))).toEqual([
        ...['signed_in', 'disabled', 'enabled', 'link_created', 'signed_in', 'sessions_ended'],
      ]);
      await store.clients.delete(client.id, BY);
      expect(await store.seats.records()).toEqual([]);
      await expect(store.seats.remove(id, BY)).rejects.toMatchObject({ kind: 'not_found' });
    });
  });
}
