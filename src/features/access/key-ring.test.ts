import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access, openAccess } from '../../../test/harness/access.ts';
import { KeyRing, rotateKeys } from './key-ring.ts';

let access: Access;
beforeEach(async () => {
  access = await openAccess();
});
afterEach(() => access.close());

const rotate = () => rotateKeys({ keys: access.store.keys, clock: access.clock }, 'test');

describe('KeyRing', () => {
  it('creates one key of 256 bits for each purpose at the first start, and stores them', async () => {
    const { keyRing, clock, store } = access;
    const again = new KeyRing({ keys: store.keys, clock });
    await again.open('test');
    for (const purpose of ['token', 'url'] as const) {
      expect(keyRing.signing(purpose).secret).toHaveLength(32);
      expect(again.signing(purpose).id).toBe(keyRing.signing(purpose).id);
      expect(again.signing(purpose).secret.equals(keyRing.signing(purpose).secret)).toBe(true);
    }
    expect(keyRing.signing('token').secret.equals(keyRing.signing('url').secret)).toBe(false);
  });

  it('signs with the new keys after a rotation', async () => {
    const { keyRing } = access;
    const before = { token: keyRing.signing('token'), url: keyRing.signing('url') };
    const { tokenKeyId, urlKeyId } = await rotate();
    expect(keyRing.signing('token')).toBe(before.token);
    await access.catchUp();
    expect(keyRing.signing('token').id).toBe(tokenKeyId);
    expect(keyRing.signing('url').id).toBe(urlKeyId);
    expect(keyRing.verifying('url').map(({ id }) => id)).toEqual([urlKeyId, before.url.id]);
  });

  it('verifies with a retired key for 3600 s', async () => {
    const { keyRing, clock } = access;
    const { id } = keyRing.signing('token');
    await rotate();
    await access.catchUp();
    clock.advance(3599.999);
    expect(keyRing.find('token', id)?.id).toBe(id);
    expect(keyRing.verifying('token')).toHaveLength(2);
    clock.advance(0.001);
    expect(keyRing.find('token', id)).toBeUndefined();
    expect(keyRing.verifying('token')).toHaveLength(1);
  });

  it('keeps the keys of all rotations of the last hour, newest first', async () => {
    const ids = [access.keyRing.signing('url').id];
    for (let i = 0; i < 3; i++) {
      access.clock.advance(1);
      ids.unshift((await rotate()).urlKeyId);
    }
    await access.catchUp();
    expect(access.keyRing.verifying('url').map(({ id }) => id)).toEqual(ids);
    access.clock.advance(3601);
    await rotate();
    expect(await access.store.keys.all()).toHaveLength(4);
  });

  it('finds a key only for its own purpose', () => {
    const { keyRing } = access;
    expect(keyRing.find('url', keyRing.signing('token').id)).toBeUndefined();
    expect(keyRing.find('token', '')).toBeUndefined();
  });
});
