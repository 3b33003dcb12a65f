import { timingSafeEqual } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access, openAccess } from '../../../test/harness/access.ts';
import { rotateSecret, setClientEnabled, showClient } from './clients.ts';
import { checkCredentials } from './credentials.ts';
import { newSecret } from './secret.ts';

let access: Access;
beforeEach(async () => {
  access = await openAccess();
});
afterEach(() => access.close());

/** Returns the result, and the number of comparisons. */
function check(clientId: string, secret: string) {
  let comparisons = 0;
  const found = checkCredentials({
    registry: access.registry,
    clientId,
    secret,
    equal(a, b) {
      comparisons += 1;
      return timingSafeEqual(a, b);
    },
  });
  return { found, comparisons };
}

describe('checkCredentials', () => {
  it('finds every live secret and its mode', async () => {
    const { clientId, testSecret, liveSecret } = await access.newClient();
    const second = await rotateSecret(access.deps, clientId, 'live');
    await access.catchUp();
    expect(check(clientId, testSecret).found).toMatchObject({ mode: 'test' });
    expect(check(clientId, liveSecret).found).toMatchObject({ mode: 'live' });
    expect(check(clientId, second.secret).found).toMatchObject({
      mode: 'live',
      secretId: second.secretId,
      client: { id: clientId },
    });
  });

  it('makes the same number of comparisons for correct and for wrong credentials', async () => {
    const { clientId, testSecret, liveSecret } = await access.newClient();
    const disabled = await access.newClient();
    await setClientEnabled(access.deps, disabled.clientId, false);
    const revoked = (await showClient(access.deps, clientId)).secrets.find(
      ({ mode }) => mode === 'live',
    )!;
    await access.deps.store.clients.revokeSecret(clientId, revoked.id, access.deps.by);
    await access.catchUp();

    const refusals = [
      check('nobody', testSecret),
      check(clientId, newSecret('test')),
      check(clientId, liveSecret),
      check(disabled.clientId, disabled.testSecret),
      check(clientId, `${testSecret.slice(0, -1)}${testSecret.endsWith('0') ? 1 : 0}`),
      check(clientId, disabled.testSecret),
      check(clientId, ''),
      check('', ''),
    ];
    expect(refusals).toEqual(refusals.map(() => ({ found: undefined, comparisons: 4 })));
    const { found, comparisons } = check(clientId, testSecret);
    expect(found).toBeDefined();
    expect(comparisons).toBe(4);
  });

  it('looks up no client for a secret with a wrong checksum', async () => {
    const { clientId, testSecret } = await access.newClient();
    const lookups: string[] = [];
    const registry = {
      find(id: string) {
        lookups.push(id);
        return access.registry.find(id);
      },
    };
    const wrong = testSecret.replace('stave_test_', 'stave_live_');
    expect(checkCredentials({ registry, clientId, secret: wrong })).toBeUndefined();
    expect(lookups).toEqual([]);
    expect(checkCredentials({ registry, clientId, secret: testSecret })).toBeDefined();
    expect(lookups).toEqual([clientId]);
  });
});
