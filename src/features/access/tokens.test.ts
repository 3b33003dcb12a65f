import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access, openAccess } from '../../../test/harness/access.ts';
import type { Caller } from '../../common/caller.ts';
import { newId } from '../../common/ids.ts';
import { rotateSecret, setClientEnabled, showClient, updateClient } from './clients.ts';
import { rotateKeys } from './key-ring.ts';
import { TokenVerifier } from './tokens.ts';

let access: Access;
beforeEach(async () => {
  access = await openAccess();
});
afterEach(() => access.close());

const verify = async (token: string) => access.verifier.verify(token);
const refused = { kind: 'invalid_token' };

/** Verifies without and with the cache, and expects the same result. */
async function expectBoth(token: string, verdict: 'good' | 'refused') {
  const fresh = new TokenVerifier(access);
  for (const verifier of [fresh, access.verifier]) {
    const result = (async () => verifier.verify(token))();
    if (verdict === 'good') {
      await result;
    } else {
      await expect(result).rejects.toMatchObject(refused);
    }
  }
}

describe('TokenIssuer', () => {
  it('issues a JWT in the profile of RFC 9068', async () => {
    const { clientId } = await access.newClient({ scopes: ['search', 'tracks'] });
    const token = await access.newToken(clientId, 'live');
    const issuedAt = Math.floor(access.clock.now() / 1000);
    expect(decodeProtectedHeader(token)).toEqual({
      alg: 'HS256',
      typ: 'at+jwt',
      kid: access.keyRing.signing('token').id,
    });
    const secret = (await showClient(access.deps, clientId)).secrets.find(
      ({ mode }) => mode === 'live',
    )!;
    expect(decodeJwt(token)).toEqual({
      iss: 'stave',
      aud: 'stave',
      sub: clientId,
      client_id: clientId,
      iat: issuedAt,
      exp: issuedAt + 3600,
      jti: expect.any(String),
      scope: 'tracks search',
      mode: 'live',
      sid: secret.id,
      dis: 0,
    });
  });

  it('never issues the same token twice', async () => {
    const { clientId } = await access.newClient();
    expect(await access.newToken(clientId)).not.toBe(await access.newToken(clientId));
  });
});

describe('TokenVerifier', () => {
  it('returns the caller, and returns it synchronously the second time', async () => {
    const { clientId } = await access.newClient({ scopes: ['search'], features: ['usage'] });
    const token = await access.newToken(clientId, 'test');
    const first = access.verifier.verify(token);
    expect(first).toBeInstanceOf(Promise);
    const caller = await first;
    expect(caller).toMatchObject({ clientId, name: 'Tester', mode: 'test', rateLimit: 600 });
    expect([...caller.scopes].sort()).toEqual(['search', 'usage']);
    expect(caller.features).toEqual(new Set(['usage']));
    expect(caller.tokenExpiresAt).toBe(Math.floor(access.clock.now() / 1000) * 1000 + 3_600_000);
    expect(access.verifier.verify(token)).toBe(caller);
  });

  it('refuses the token of a session that does not exist, or that belongs to another secret', async () => {
    const { clientId } = await access.newClient();
    const { secrets } = await showClient(access.deps, clientId);
    const hash = 'a'.repeat(64);
    const session = { id: newId(), hash, expiresAt: access.clock.now() + 1 };
    const own = { clientId, secretId: secrets[0]!.id };
    await access.store.clientSessions.startOfSecret(own, session);
    await access.catchUp();
    const client = access.registry.find(clientId)!;
    const issue = (secretId: string, ses: string) => {
      const { mode } = client.liveSecrets.get(secretId)!;
      return access.issuer.issue({ client, secretId, mode, scopes: [], further: { ses } });
    };
    await expectBoth(await issue(own.secretId, session.id), 'good');
    await expectBoth(await issue(own.secretId, newId()), 'refused');
    await expectBoth(await issue(secrets[1]!.id, session.id), 'refused');
    await access.store.clientSessions.end(hash, { clientId, seatId: undefined });
    await access.catchUp();
    await expectBoth(await issue(own.secretId, session.id), 'refused');
  });

  it('accepts a token for 3599 s and refuses it at 3600 s', async () => {
    const { clientId } = await access.newClient();
    const token = await access.newToken(clientId);
    await verify(token);
    access.clock.advance(3599);
    await expectBoth(token, 'good');
    access.clock.advance(1);
    await expectBoth(token, 'refused');
    await expect(verify(token)).rejects.toThrow('expired');
  });

  it('refuses the tokens of a revoked secret, and accepts those of others', async () => {
    const { clientId } = await access.newClient();
    const old = await access.newToken(clientId, 'test');
    const live = await access.newToken(clientId, 'live');
    const { secrets } = await showClient(access.deps, clientId);
    const { secretId } = await rotateSecret(access.deps, clientId, 'test');
    await access.catchUp();
    const renewed = await access.issuer.issue({
      client: access.registry.find(clientId)!,
      secretId,
      mode: 'test',
      scopes: ['search'],
    });
    await expectBoth(old, 'good');
    await access.deps.store.clients.revokeSecret(
      clientId,
      secrets.find(({ mode }) => mode === 'test')!.id,
      access.deps.by,
    );
    await access.catchUp();
    await expectBoth(old, 'refused');
    await expectBoth(renewed, 'good');
    await expectBoth(live, 'good');
  });

  it('refuses the tokens of a disabled client, also after the client is enabled again', async () => {
    const { clientId } = await access.newClient();
    const token = await access.newToken(clientId);
    await verify(token);
    await setClientEnabled(access.deps, clientId, false);
    await access.catchUp();
    await expectBoth(token, 'refused');
    await setClientEnabled(access.deps, clientId, true);
    await access.catchUp();
    await expectBoth(token, 'refused');
    await expectBoth(await access.newToken(clientId), 'good');
  });

  it('refuses them too if the registry applies both changes together', async () => {
    const { clientId } = await access.newClient();
    const token = await access.newToken(clientId);
    await verify(token);
    await setClientEnabled(access.deps, clientId, false);
    await setClientEnabled(access.deps, clientId, true);
    await access.catchUp();
    await expectBoth(token, 'refused');
  });

  it('refuses a token that was issued while the client was disabled', async () => {
    const { clientId } = await access.newClient();
    await setClientEnabled(access.deps, clientId, false);
    await access.catchUp();
    await expectBoth(await access.newToken(clientId), 'refused');
  });

  it('refuses the tokens of a deleted client', async () => {
    const { clientId } = await access.newClient();
    const token = await access.newToken(clientId);
    await verify(token);
    await access.store.clients.delete(clientId, 'test');
    await access.catchUp();
    await expectBoth(token, 'refused');
  });

  it('removes lost scopes from a token, and never adds scopes', async () => {
    const { clientId } = await access.newClient({ scopes: ['search', 'tracks'] });
    const token = await access.newToken(clientId);
    const scopes = async () => [...((await verify(token)) as Caller).scopes].sort();
    expect(await scopes()).toEqual(['search', 'tracks']);
    await updateClient(access.deps, clientId, {
      scopes: ['tracks', 'filters'],
      features: ['stems'],
      rateLimit: 9,
    });
    await access.catchUp();
    expect(await scopes()).toEqual(['tracks']);
    expect(await verify(token)).toMatchObject({ rateLimit: 9, features: new Set(['stems']) });
    await updateClient(access.deps, clientId, { scopes: ['search', 'tracks'] });
    await access.catchUp();
    expect(await scopes()).toEqual(['search', 'tracks']);
  });

  it('accepts the tokens of a retired key until they expire', async () => {
    const { clientId } = await access.newClient();
    const token = await access.newToken(clientId);
    await verify(token);
    access.clock.advance(10);
    await rotateKeys({ keys: access.store.keys, clock: access.clock }, 'test');
    await access.catchUp();
    const renewed = await access.newToken(clientId);
    await expectBoth(token, 'good');
    access.clock.advance(3589);
    await expectBoth(token, 'good');
    await expectBoth(renewed, 'good');
    access.clock.advance(1);
    await expectBoth(token, 'refused');
    await expectBoth(renewed, 'good');
  });

  it('refuses every token of a key that was retired an hour ago', async () => {
    const { clientId } = await access.newClient();
    await rotateKeys({ keys: access.store.keys, clock: access.clock }, 'test');
    access.clock.advance(1);
    const late = await access.newToken(clientId);
    await access.catchUp();
    await expectBoth(late, 'good');
    access.clock.advance(3598);
    await expectBoth(late, 'good');
    access.clock.advance(1);
    await expectBoth(late, 'refused');
  });

  it('accepts a token of another node whose key or client is not known here yet', async () => {
    const behind = await access.anotherNode();
    const { clientId } = await access.newClient();
    await rotateKeys({ keys: access.store.keys, clock: access.clock }, 'test');
    await access.catchUp();
    const token = await access.newToken(clientId);
    const { catchUp: _, ...cutOff } = behind;
    await expect(new TokenVerifier(cutOff).verify(token)).rejects.toMatchObject(refused);
    const verifier = new TokenVerifier(behind);
    expect(await verifier.verify(token)).toMatchObject({ clientId });
    const younger = await access.newClient();
    const other = await access.newToken(younger.clientId);
    const both = await Promise.all([verifier.verify(other), verifier.verify(other)]);
    expect(both.map((caller) => caller.clientId)).toEqual([younger.clientId, younger.clientId]);
  });

  it('removes tokens beyond the limit of its cache, and still accepts them', async () => {
    const { clientId } = await access.newClient();
    const tokens = await Promise.all(Array.from({ length: 50 }, () => access.newToken(clientId)));
    const verifier = new TokenVerifier({ ...access, cacheBytes: 20_000 });
    for (const token of tokens) {
      await verifier.verify(token);
    }
    const cached = tokens.filter((token) => !(verifier.verify(token) instanceof Promise));
    expect(cached.length).toBeGreaterThan(0);
    expect(cached.length).toBeLessThan(14);
  });
});
