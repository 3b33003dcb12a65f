import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access, openAccess } from '../../../test/harness/access.ts';
import { FEATURES } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import {
  createClient,
  listClients,
  rotateSecret,
  setClientEnabled,
  showClient,
  updateClient,
} from './clients.ts';
import { hashSecret, isWellFormedSecret } from './secret.ts';

let access: Access;
beforeEach(async () => {
  access = await openAccess();
});
afterEach(() => access.close());

const revoke = (clientId: string, secretId: string) =>
  access.deps.store.clients.revokeSecret(clientId, secretId, access.deps.by);
const create = (input: object = {}) =>
  createClient(access.deps, { name: 'Radio', scopes: ['tracks'], ...input });

async function refusal(promise: Promise<unknown>): Promise<StaveError> {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(StaveError);
  return error as StaveError;
}

describe('createClient', () => {
  it('returns a secret for each mode, and stores only hashes', async () => {
    const { clientId, testSecret, liveSecret } = await create();
    expect(testSecret).toMatch(/^stave_test_/);
    expect(liveSecret).toMatch(/^stave_live_/);
    expect(isWellFormedSecret(testSecret) && isWellFormedSecret(liveSecret)).toBe(true);
    const kept = await access.store.clients.get(clientId);
    expect(kept!.secrets.map(({ hash }) => hash).sort()).toEqual(
      [hashSecret(testSecret), hashSecret(liveSecret)].sort(),
    );
    expect(JSON.stringify(kept)).not.toContain(testSecret.slice(11));
  });

  it('adds the scope of each feature, but no feature for a scope', async () => {
    const { clientId } = await create({ scopes: ['search', 'usage'], features: ['changes'] });
    expect(await showClient(access.deps, clientId)).toMatchObject({
      scopes: ['search', 'changes', 'usage'],
      features: ['changes'],
    });
  });

  it('removes duplicate scopes', async () => {
    const { clientId } = await create({ scopes: ['search', 'tracks', 'search'] });
    expect((await showClient(access.deps, clientId)).scopes).toEqual(['tracks', 'search']);
  });

  it('reports all problems together, with the nearest known words', async () => {
    const error = await refusal(
      create({
        name: ' ',
        scopes: ['serch', 'tracks'],
        features: ['stem'],
        rateLimit: 0,
        account: 'a\nb',
        rateCard: 'Standard@2',
      }),
    );
    expect(error.kind).toBe('invalid_request');
    expect(error.details!.map(({ field }) => field)).toEqual([
      'name',
      'scopes',
      'features',
      'rateLimit',
      'account',
      'rateCard',
    ]);
    expect(error.details![1]!.message).toContain('did you mean search?');
    expect(error.details![2]!.message).toContain('did you mean stems?');
    expect(await listClients(access.deps)).toEqual([]);
  });

  it('names all known words if none is near', async () => {
    const error = await refusal(create({ scopes: ['xyzzyplugh'] }));
    expect(error.details![0]!.message).toMatch(
      /^"xyzzyplugh" is not known; the known ones are tracks, search, /,
    );
  });

  it.each([[[]], [['']], [['*']], [['constructor']]])('refuses the scopes %j', async (scopes) => {
    expect((await refusal(create({ scopes }))).details![0]!.field).toBe('scopes');
  });

  it.each(['', ' ', 'x'.repeat(201)])('refuses the account %j', async (account) => {
    expect((await refusal(create({ account }))).details![0]!.field).toBe('account');
  });

  it.each([1.5, -1, Number.NaN, 1e9])('refuses a rate limit of %d', async (rateLimit) => {
    expect((await refusal(create({ rateLimit }))).details![0]!.field).toBe('rateLimit');
  });
});

describe('updateClient', () => {
  it('changes only the given members', async () => {
    const { clientId } = await create({ rateLimit: 5 });
    await updateClient(access.deps, clientId, { name: 'Café' });
    await updateClient(access.deps, clientId, { rateLimit: null });
    expect(await showClient(access.deps, clientId)).toMatchObject({
      name: 'Café',
      scopes: ['tracks'],
      rateLimit: null,
    });
  });

  it('adds the scope of a feature that is switched on, and removes it when it is switched off', async () => {
    const { clientId } = await create();
    await updateClient(access.deps, clientId, { features: ['stems', 'usage'] });
    expect((await showClient(access.deps, clientId)).scopes).toEqual(['tracks', 'usage', 'stems']);
    await updateClient(access.deps, clientId, { scopes: ['search'] });
    expect((await showClient(access.deps, clientId)).scopes).toEqual(['search', 'usage', 'stems']);
    await updateClient(access.deps, clientId, { features: ['usage'] });
    expect((await showClient(access.deps, clientId)).scopes).toEqual(['search', 'usage']);
  });

  it('switches single features on and off, and leaves the others', async () => {
    const { clientId } = await create({ features: ['stems'] });
    const update = async (input: Parameters<typeof updateClient>[2]) =>
      (await updateClient(access.deps, clientId, input)).features;
    expect(await update({ enableFeatures: ['usage', 'stems'] })).toEqual(['usage', 'stems']);
    expect(await update({ enableFeatures: ['changes'], disableFeatures: ['stems'] })).toEqual([
      'changes',
      'usage',
    ]);
    const { scopes } = await showClient(access.deps, clientId);
    expect(scopes).toEqual(['tracks', 'changes', 'usage']);
    expect(await update({ disableFeatures: ['webhooks'] })).toEqual(['changes', 'usage']);
    expect(await update({ enableFeatures: [], disableFeatures: FEATURES })).toEqual([]);
  });

  it('loses no feature when several are switched on at once', async () => {
    const { clientId } = await create();
    await Promise.all(
      FEATURES.map((one) => updateClient(access.deps, clientId, { enableFeatures: [one] })),
    );
    expect((await showClient(access.deps, clientId)).features).toEqual(FEATURES);
  });

  it('refuses to switch one feature on and off', async () => {
    const { clientId } = await create();
    const change = { enableFeatures: ['usage', 'stems'], disableFeatures: ['stems'] };
    const { details } = await refusal(updateClient(access.deps, clientId, change));
    expect(details).toEqual([
      { field: 'disableFeatures', message: 'names stems, and so does enableFeatures.' },
    ]);
  });

  it('throws not_found for an unknown client', async () => {
    expect((await refusal(updateClient(access.deps, newId(), { name: 'X' }))).kind).toBe(
      'not_found',
    );
  });
});

describe('setClientEnabled', () => {
  it('return whether anything changed', async () => {
    const { clientId } = await create();
    expect(await setClientEnabled(access.deps, clientId, true)).toBe(false);
    expect(await setClientEnabled(access.deps, clientId, false)).toBe(true);
    expect(await setClientEnabled(access.deps, clientId, false)).toBe(false);
    expect((await showClient(access.deps, clientId)).enabled).toBe(false);
    expect(await setClientEnabled(access.deps, clientId, true)).toBe(true);
  });
});

describe('rotateSecret and revokeSecret', () => {
  it('add a second secret, and refuse a third with the ids to revoke', async () => {
    const { clientId } = await create();
    const { secretId, secret } = await rotateSecret(access.deps, clientId, 'test');
    expect(secret).toMatch(/^stave_test_/);
    const error = await refusal(rotateSecret(access.deps, clientId, 'test'));
    expect(error.kind).toBe('conflict');
    expect(error.message).toContain(secretId);
    await rotateSecret(access.deps, clientId, 'live');
    expect(await revoke(clientId, secretId)).toBe(true);
    expect(await revoke(clientId, secretId)).toBe(false);
    await rotateSecret(access.deps, clientId, 'test');
  });

  it('keep at most two live secrets during concurrent rotations', async () => {
    const { clientId } = await create();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => rotateSecret(access.deps, clientId, 'live')),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused.every(({ reason }) => reason.kind === 'conflict')).toBe(true);
  });

  it('revoke the last secret of a mode too, because it may have leaked', async () => {
    const { clientId } = await create();
    const { secrets } = await showClient(access.deps, clientId);
    for (const { id } of secrets) {
      expect(await revoke(clientId, id)).toBe(true);
    }
    await rotateSecret(access.deps, clientId, 'live');
  });

  it('refuse the secret of another client', async () => {
    const { clientId } = await create();
    const { clientId: other } = await create();
    const { id } = (await showClient(access.deps, other)).secrets[0]!;
    expect((await refusal(revoke(clientId, id))).kind).toBe('not_found');
    expect((await refusal(revoke(newId(), id))).kind).toBe('not_found');
    expect((await refusal(rotateSecret(access.deps, newId(), 'test'))).kind).toBe('not_found');
  });
});

describe('listClients and showClient', () => {
  it('return the stored values, but never a hash', async () => {
    const { clientId } = await create();
    await create({ name: 'Second' });
    const clients = await listClients(access.deps);
    expect(clients.map(({ name }) => name).sort()).toEqual(['Radio', 'Second']);
    const shown = await showClient(access.deps, clientId);
    expect(clients).toContainEqual(shown);
    expect(shown.secrets[0]).toEqual({
      id: expect.any(String),
      mode: expect.stringMatching(/^(test|live)$/),
      createdAt: access.clock.now(),
      revokedAt: null,
    });
    expect(JSON.stringify(clients)).not.toMatch(/[0-9a-f]{64}/);
  });
});
