import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import type { ClientSecret, SigningKey } from '../../src/features/access/client.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { expectNotFound, harnessOf, kindsAfter, someClient } from '../harness/stores.ts';

function someSecret(mode: Mode, overrides: Partial<ClientSecret> = {}): ClientSecret {
  const hash = createHash('sha256').update(randomBytes(20)).digest('hex');
  return { id: newId(), mode, hash, createdAt: 1, revokedAt: null, ...overrides };
}

function keys(createdAt: number): SigningKey[] {
  return (['token', 'url'] as const).map((purpose) => ({
    id: newId(),
    purpose,
    secret: randomBytes(32),
    createdAt,
    retiredAt: null,
  }));
}

for (const adapter of ADAPTERS) {
  describe(`clients on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are stored unchanged, and listed in the order of creation', async () => {
      const { store } = await open();
      const first = someClient({
        scopes: ['tracks', 'usage'],
        features: ['usage'],
        rateLimit: 60,
        account: 'Acme Group',
        rateCard: 'games',
        createdAt: 1,
        secrets: [someSecret('live'), someSecret('test', { createdAt: 2 })],
      });
      const second = someClient({ createdAt: 2, enabled: false });
      await store.clients.create(second, BY);
      await store.clients.create(first, BY);
      expect(await store.clients.all()).toEqual([first, second]);
      expect(await store.clients.get(first.id)).toEqual(first);
      expect(await store.clients.get(newId())).toBeUndefined();
      await expect(store.clients.create(first, BY)).rejects.toMatchObject({ kind: 'conflict' });
    });

    it('are created once if several commands give one new name at once', async () => {
      const { store } = await open();
      const rule = { isNewName: true };
      const created = await Promise.allSettled([
        ...['Acme', 'ACME', 'acme '].map((name) =>
          store.clients.create(someClient({ id: newId(), name }), BY, rule),
        ),
        store.clients.createAll([someClient({ id: newId(), name: 'acme' })], BY, rule),
      ]);
      const refused = created.filter(({ status }) => status === 'rejected');
      expect(refused).toHaveLength(3);
      for (const one of refused) {
        expect(one).toMatchObject({
          reason: { kind: 'conflict', message: expect.stringContaining('run the command again') },
        });
      }
      expect(await store.clients.all()).toHaveLength(1);
      await store.clients.create(someClient({ id: newId(), name: 'Acme' }), BY);
      expect(await store.clients.all()).toHaveLength(2);
    });

    it('change by a function of the stored client, which loses no concurrent change', async () => {
      const { store } = await open();
      const client = someClient({ name: '' });
      await store.clients.create(client, BY);
      const letters = [...'abcdefgh'];
      await Promise.all(
        letters.map((letter) =>
          store.clients.update(client.id, ({ name }) => ({ name: name + letter }), BY),
        ),
      );
      const { name } = (await store.clients.get(client.id))!;
      expect([...name].sort()).toEqual(letters);
    });

    it('change only in the given values, and log each kind of change', async () => {
      const { store } = await open();
      const client = someClient();
      await store.clients.create(client, BY);
      const head = await store.changes.head();
      expect(await store.clients.update(client.id, { scopes: ['search'] }, BY)).toEqual({
        ...client,
        scopes: ['search'],
      });
      await store.clients.update(client.id, { account: 'Acme Group' }, BY);
      await store.clients.update(client.id, { account: null, rateLimit: 5, enabled: false }, BY);
      await store.clients.update(client.id, { enabled: false }, BY);
      await store.clients.update(client.id, { enabled: true, rateLimit: null }, BY);
      expect(await store.clients.get(client.id)).toEqual({ ...client, scopes: ['search'] });
      expect(await kindsAfter(store, head)).toEqual([
        'client.updated',
        'client.updated',
        'client.updated',
        'client.disabled',
        'client.updated',
        'client.enabled',
      ]);
      await expect(store.clients.update(newId(), {}, BY)).rejects.toMatchObject({
        kind: 'not_found',
      });
    });

    it('have at most two live secrets per mode, also if several are added at once', async () => {
      const { store, another } = await open();
      const client = someClient({ secrets: [someSecret('live'), someSecret('test')] });
      await store.clients.create(client, BY);
      const others = await Promise.all([another(), another(), another()]);
      const results = await Promise.allSettled(
        [store, ...others].flatMap(({ clients }) => [
          clients.addSecret(client.id, someSecret('live'), BY),
          clients.addSecret(client.id, someSecret('test'), BY),
        ]),
      );
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(6);
      for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'conflict' });
      const { secrets } = (await store.clients.get(client.id))!;
      for (const mode of ['test', 'live']) {
        expect(secrets.filter((secret) => secret.mode === mode)).toHaveLength(2);
      }
      await expect(
        store.clients.create(
          someClient({ secrets: [someSecret('test'), someSecret('test'), someSecret('test')] }),
          BY,
        ),
      ).rejects.toMatchObject({ kind: 'conflict' });
      expect(await store.clients.all()).toHaveLength(1);
    });

    it('have room for another secret after one is revoked, which happens once', async () => {
      const { store, clock } = await open();
      const [old, kept] = [someSecret('live'), someSecret('live', { createdAt: 2 })];
      const client = someClient({ secrets: [old, kept] });
      await store.clients.create(client, BY);
      const head = await store.changes.head();
      expect(await store.clients.revokeSecret(client.id, old.id, BY)).toBe(true);
      expect(await store.clients.revokeSecret(client.id, old.id, BY)).toBe(false);
      const fresh = someSecret('live', { createdAt: 3 });
      await store.clients.addSecret(client.id, fresh, BY);
      expect((await store.clients.get(client.id))!.secrets).toEqual([
        { ...old, revokedAt: clock.now() },
        kept,
        fresh,
      ]);
      expect(await kindsAfter(store, head)).toEqual([
        'client.secret_revoked',
        'client.secret_added',
      ]);
      await expectNotFound(
        store.clients.revokeSecret(client.id, newId(), BY),
        store.clients.revokeSecret(newId(), kept.id, BY),
        store.clients.addSecret(newId(), someSecret('live'), BY),
      );
    });

    it('are deleted once', async () => {
      const { store } = await open();
      const client = someClient({ secrets: [someSecret('live')] });
      await store.clients.create(client, BY);
      const head = await store.changes.head();
      expect(await store.clients.delete(client.id, BY)).toBe(true);
      expect(await store.clients.delete(client.id, BY)).toBe(false);
      expect(await store.clients.get(client.id)).toBeUndefined();
      expect(await kindsAfter(store, head)).toEqual(['client.deleted']);
      await store.clients.create(client, BY);
    });
  });

  describe(`signing keys on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are the same for all processes that create the first keys at once', async () => {
      const { store, another } = await open();
      const stores = [store, await another(), await another()];
      await Promise.all(stores.map((one) => one.keys.ensure(keys(1), BY)));
      const [first, ...others] = await Promise.all(stores.map((one) => one.keys.all()));
      expect(first!.map(({ purpose }) => purpose).sort()).toEqual(['token', 'url']);
      for (const other of others) expect(other).toEqual(first);
      expect(await kindsAfter(store, 0)).toEqual(['key.created', 'key.created']);
    });

    it('are stored with their bytes, newest first, and retired by a rotation', async () => {
      const { store, clock } = await open();
      const [first, second, third] = [keys(1), keys(2), keys(3)];
      await store.keys.ensure(first, BY);
      const head = await store.changes.head();
      clock.advance(1);
      const retiredAt = clock.now();
      await store.keys.rotate(second, retiredAt - 1, BY);
      expect(await store.keys.all()).toEqual([
        second[1],
        second[0],
        { ...first[1], retiredAt },
        { ...first[0], retiredAt },
      ]);
      clock.advance(1);
      await store.keys.rotate(third, retiredAt + 1, BY);
      expect((await store.keys.all()).map(({ id }) => id)).toEqual(
        [...third.toReversed(), ...second.toReversed()].map(({ id }) => id),
      );
      await store.keys.ensure(keys(9), BY);
      expect(await store.keys.all()).toHaveLength(4);
      expect(await kindsAfter(store, head)).toEqual(Array(4).fill('key.rotated'));
    });
  });
}
