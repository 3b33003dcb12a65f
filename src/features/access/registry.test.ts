import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access, openAccess } from '../../../test/harness/access.ts';
import { newId } from '../../common/ids.ts';
import { rotateSecret, setClientEnabled, showClient, updateClient } from './clients.ts';
import { ClientRegistry } from './registry.ts';

let access: Access;
beforeEach(async () => {
  access = await openAccess();
});
afterEach(() => access.close());

/** Expects that a registry that is loaded now equals the one that followed the change log. */
async function expectAgreement(clientId: string) {
  await access.catchUp();
  const loaded = new ClientRegistry(access.store);
  await loaded.load();
  expect(access.registry.find(clientId)).toEqual(loaded.find(clientId));
  return access.registry.find(clientId);
}

describe('ClientRegistry', () => {
  it('contains a new client, its terms and its secrets', async () => {
    const { clientId } = await access.newClient({
      name: 'Radio',
      scopes: ['tracks', 'search'],
      features: ['changes'],
      rateLimit: 50,
    });
    const client = await expectAgreement(clientId);
    expect(client).toMatchObject({ id: clientId, name: 'Radio', enabled: true, rateLimit: 50 });
    expect([...client!.scopes].sort()).toEqual(['changes', 'search', 'tracks']);
    expect([...client!.liveSecrets.values()].map(({ mode }) => mode).sort()).toEqual([
      'live',
      'test',
    ]);
    expect(access.registry.find(newId())).toBeUndefined();
  });

  it('uses the default limit of 600 for a client without its own limit', async () => {
    const { clientId } = await access.newClient();
    expect(access.registry.find(clientId)!.rateLimit).toBe(600);
  });

  it('applies updates, revocations and rotations', async () => {
    const { clientId } = await access.newClient();
    const [first] = (await showClient(access.deps, clientId)).secrets;
    const { secretId } = await rotateSecret(access.deps, clientId, first!.mode);
    await access.deps.store.clients.revokeSecret(clientId, first!.id, access.deps.by);
    await updateClient(access.deps, clientId, { scopes: ['filters'], rateLimit: 7 });
    const client = (await expectAgreement(clientId))!;
    expect(client.liveSecrets.has(first!.id)).toBe(false);
    expect(client.liveSecrets.has(secretId)).toBe(true);
    expect([...client.scopes]).toEqual(['filters']);
    expect(client.rateLimit).toBe(7);
  });

  it('keeps the time at which a client was disabled, after it is enabled again and after a restart', async () => {
    const { clientId } = await access.newClient();
    expect(access.registry.find(clientId)!.lastDisabledSeq).toBe(0);
    await setClientEnabled(access.deps, clientId, false);
    expect(await expectAgreement(clientId)).toMatchObject({ enabled: false });
    await setClientEnabled(access.deps, clientId, true);
    const client = (await expectAgreement(clientId))!;
    expect(client.enabled).toBe(true);
    expect(client.lastDisabledSeq).toBeGreaterThan(0);
  });

  it('does not change other clients', async () => {
    const { clientId } = await access.newClient();
    const { clientId: bystander } = await access.newClient();
    const untouched = access.registry.find(bystander);
    await updateClient(access.deps, clientId, { rateLimit: 7 });
    expect((await expectAgreement(clientId))!.rateLimit).toBe(7);
    expect(access.registry.find(bystander)).toBe(untouched);
  });

  it('removes a deleted client', async () => {
    const { clientId } = await access.newClient();
    await access.store.clients.delete(clientId, 'test');
    expect(await expectAgreement(clientId)).toBeUndefined();
  });
});
