import { createHmac, createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import { setClientEnabled } from '../../src/features/access/clients.ts';
import { TokenVerifier } from '../../src/features/access/tokens.ts';
import { type Access, openAccess } from '../harness/access.ts';

let access: Access;
let token: string;
let claims: Record<string, unknown>;
let kid: string;
let key: Buffer;

beforeAll(async () => {
  access = await openAccess();
  const { clientId } = await access.newClient();
  // Disabled once, so that only tokens issued after that are valid.
  await setClientEnabled(access.deps, clientId, false);
  await setClientEnabled(access.deps, clientId, true);
  await access.catchUp();
  token = await access.newToken(clientId);
  claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  ({ id: kid, secret: key } = access.keyRing.signing('token'));
});
afterAll(() => access.close());

async function isAccepted(text: string): Promise<boolean> {
  // As in a running service, the verifier has cached the valid token.
  await access.verifier.verify(token);
  try {
    await access.verifier.verify(text);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid_token' });
    return false;
  }
}

/** A token that is valid except for the given changes. */
function forge(
  change: {
    header?: Record<string, unknown>;
    claims?: Record<string, unknown>;
    secret?: Uint8Array;
  } = {},
): Promise<string> {
  return new SignJWT({ ...claims, ...change.claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid, ...change.header })
    .sign(change.secret ?? key);
}

describe('a forged access token', () => {
  it('is accepted without a change, so that each other case tests one change', async () => {
    expect(await isAccepted(await forge())).toBe(true);
  });

  it('is refused if any byte of a valid token is changed', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= ~';
    const verifier = new TokenVerifier(access);
    let tried = 0;
    for (let at = 0; at < token.length; at++) {
      // Every position, and at the last digit, of which two bits are unused, every character.
      const step = at === token.length - 1 ? 1 : 9;
      for (let i = at % step; i < alphabet.length; i += step) {
        if (alphabet[i] === token[at]) {
          continue;
        }
        tried += 1;
        const changed = token.slice(0, at) + alphabet[i] + token.slice(at + 1);
        const result = (async () => verifier.verify(changed))();
        await expect(result).rejects.toMatchObject({ kind: 'invalid_token' });
      }
    }
    expect(tried).toBeGreaterThan(3000);
  });

  it('is refused if characters are added, dropped or repeated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length), fc.nat(8), fc.string(), async (at, drop, add) => {
        const changed = token.slice(0, at) + add + token.slice(at + drop);
        expect(await isAccepted(changed)).toBe(changed === token);
      }),
      { numRuns: 1000 },
    );
    for (const text of [
      '',
      '.',
      '..',
      '...',
      `${token}.`,
      `${token}\n`,
      `${token}=`,
      token + token,
    ]) {
      expect(await isAccepted(text)).toBe(false);
    }
  });

  it('is refused without a signature (alg none), in any spelling', async () => {
    expect(await isAccepted(new UnsecuredJWT(claims).encode())).toBe(false);
    const [, payload, signature] = token.split('.');
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid })).toString('base64url');
      expect(await isAccepted(`${header}.${payload}.`)).toBe(false);
      expect(await isAccepted(`${header}.${payload}.${signature}`)).toBe(false);
    }
  });

  it('is refused with any other algorithm, even with the key of the service', async () => {
    for (const alg of ['HS384', 'HS512']) {
      const secret = createSecretKey(Buffer.concat([key, key]));
      const longer = await new SignJWT(claims)
        .setProtectedHeader({ alg, typ: 'at+jwt', kid })
        .sign(secret);
      expect(await isAccepted(longer)).toBe(false);
      const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid })).toString('base64url');
      const input = `${header}.${token.split('.')[1]}`;
      const digest = createHmac(alg.replace('HS', 'sha'), key).update(input).digest('base64url');
      expect(await isAccepted(`${input}.${digest}`)).toBe(false);
      // As long as a valid signature, so that its length is valid.
      expect(await isAccepted(`${input}.${digest.slice(0, 42)}A`)).toBe(false);
    }
    const { privateKey } = generateKeyPairSync('ed25519');
    const asymmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid })
      .sign(privateKey);
    expect(await isAccepted(asymmetric)).toBe(false);
  });

  it('is refused with claims of a browser token in any other form', async () => {
    const digest = 'A'.repeat(22);
    const secretId = String(claims.sid);
    const client = access.registry.find(String(claims.client_id))!;
    const given = await access.issuer.issue({
      ...{ client, secretId, mode: claims.mode as Mode, scopes: ['search'] },
      further: { org: [digest], usr: digest },
    });
    expect(await isAccepted(given)).toBe(true);
    const { iat, exp, jti, iss, aud, sub, ...own } = JSON.parse(
      Buffer.from(given.split('.')[1]!, 'base64url').toString(),
    );
    const registered = { iss, aud, sub, iat, exp, jti };
    const signed = (further: object) =>
      new SignJWT({ ...own, ...further, ...registered })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .sign(key);
    expect(await isAccepted(await signed({}))).toBe(true);
    for (const further of [
      ...[{ org: [] }, { org: digest }, { org: ['https://a.example'] }, { org: [digest, null] }],
      ...[{ usr: 'ana' }, { usr: null }, { usr: [digest] }, { org: [`${digest}A`] }],
    ]) {
      expect([further, await isAccepted(await signed(further))]).toEqual([further, false]);
    }
  });

  it.each([undefined, 'JWT', 'at+jws', 'id_token', 'AT+JWTs'])(
    'is refused with typ %s',
    async (typ) => {
      expect(await isAccepted(await forge({ header: { typ } }))).toBe(false);
    },
  );

  it.each([
    { iss: 'elsewhere' },
    { iss: undefined },
    { aud: 'elsewhere' },
    { aud: [] },
    { aud: undefined },
    { sub: newId() },
    { sub: undefined },
    { client_id: undefined },
    { client_id: 7 },
    { exp: undefined },
    { exp: '9999999999' },
    { exp: 1 },
    { iat: undefined },
    { jti: undefined },
    { nbf: 9_999_999_999 },
    { sid: newId() },
    { sid: undefined },
    { mode: 'live' },
    { mode: undefined },
    { scope: undefined },
    { scope: ['search'] },
    { dis: 0 },
    { dis: '9' },
  ])('is refused with the claims %j', async (wrong) => {
    expect(await isAccepted(await forge({ claims: wrong }))).toBe(false);
  });

  it('is refused if it has the id of one client and the secret of another', async () => {
    const other = await access.newClient();
    expect(
      await isAccepted(await forge({ claims: { sub: other.clientId, client_id: other.clientId } })),
    ).toBe(false);
  });

  it('grants no scope that the client lacks', async () => {
    const caller = await access.verifier.verify(
      await forge({ claims: { scope: 'search tracks analytics admin' } }),
    );
    expect([...caller.scopes]).toEqual(['search']);
  });

  it('is refused if it is signed with the key for URLs, or with an unknown key, key id or none', async () => {
    const url = access.keyRing.signing('url');
    expect(await isAccepted(await forge({ secret: url.secret }))).toBe(false);
    expect(await isAccepted(await forge({ secret: url.secret, header: { kid: url.id } }))).toBe(
      false,
    );
    expect(await isAccepted(await forge({ secret: randomBytes(32) }))).toBe(false);
    expect(
      await isAccepted(await forge({ secret: randomBytes(32), header: { kid: newId() } })),
    ).toBe(false);
    expect(await isAccepted(await forge({ header: { kid: undefined } }))).toBe(false);
  });

  it('is refused if its header contains a key or requires an unknown extension', async () => {
    const secret = randomBytes(32);
    const jwk = { kty: 'oct', k: secret.toString('base64url') };
    expect(await isAccepted(await forge({ secret, header: { jwk } }))).toBe(false);
    const header = Buffer.from(
      JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid, crit: ['exp'], exp: 1 }),
    ).toString('base64url');
    const input = `${header}.${token.split('.')[1]}`;
    const digest = createHmac('sha256', key).update(input).digest('base64url');
    expect(await isAccepted(`${input}.${digest}`)).toBe(false);
  });

  it('is refused in every form that differs from the issued one, even with a valid signature', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64url');
    const signed = (header: string, payload: string) => {
      const input = `${header}.${payload}`;
      return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
    };
    const header = JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid });
    const payload = JSON.stringify(claims);
    expect(await isAccepted(signed(base64(header), base64(payload)))).toBe(true);

    const headers = [
      { alg: 'HS256', typ: 'AT+JWT', kid },
      { alg: 'HS256', typ: 'application/at+jwt', kid },
      { alg: 'HS256', typ: 'Application/AT+JWT', kid },
      { alg: 'HS256', typ: 'at+jwt', kid, b64: false },
      { alg: 'HS256', typ: 'at+jwt', kid, b64: true },
      { alg: 'HS256', typ: 'at+jwt', kid, cty: 'JWT' },
      { kid, typ: 'at+jwt', alg: 'HS256' },
    ].map((one) => JSON.stringify(one));
    headers.push(
      `\ufeff${header}`,
      ` ${header}`,
      header.replace('{', '{"alg":"HS256",'),
      header.replace('at+jwt', 'at\\u002bjwt'),
    );
    const exp = Number(claims.exp);
    const payloads = [
      `\ufeff${payload}`,
      `${payload}\n`,
      payload.replace('{', '{"exp":1,'),
      payload.replace('{', '{"sub":"someone",'),
      payload.replace(`"exp":${exp}`, `"exp":${exp}.0`),
      payload.replace('"iss":"stave"', '"iss":"st\\u0061ve"'),
      JSON.stringify({ ...claims, admin: true }),
      JSON.stringify({ ...claims, nbf: 1 }),
      JSON.stringify({ ...claims, aud: ['stave'] }),
      JSON.stringify({ ...claims, aud: ['stave', 'elsewhere'] }),
      JSON.stringify({ ...claims, jti: 7 }),
      JSON.stringify(Object.fromEntries(Object.entries(claims).reverse())),
    ];
    for (const odd of headers) {
      expect({ odd, accepted: await isAccepted(signed(base64(odd), base64(payload))) }).toEqual({
        odd,
        accepted: false,
      });
    }
    for (const odd of payloads) {
      expect({ odd, accepted: await isAccepted(signed(base64(header), base64(odd))) }).toEqual({
        odd,
        accepted: false,
      });
    }
    // Unused bits of the last digit, which decoders ignore.
    for (const text of [header, payload].map(base64).filter((one) => one.length % 4 !== 0)) {
      const last = text.at(-1)!;
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const other = text.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1];
      expect(Buffer.from(other, 'base64url').toString()).toBe(
        Buffer.from(text, 'base64url').toString(),
      );
      const odd =
        text === base64(header) ? signed(other, base64(payload)) : signed(base64(header), other);
      expect(await isAccepted(odd)).toBe(false);
    }
  });

  it('is refused without verification if it is longer than 4 KB, even with a valid signature', async () => {
    const long = await forge({ claims: { padding: 'x'.repeat(4096) } });
    expect(await isAccepted(long)).toBe(false);
  });

  it('does not evict other tokens from the cache', async () => {
    const verifier = new TokenVerifier({ ...access, cacheBytes: 4000 });
    await verifier.verify(token);
    for (let i = 0; i < 100; i++) {
      const forged = await forge({ secret: randomBytes(32), claims: { jti: newId() } });
      await expect((async () => verifier.verify(forged))()).rejects.toThrow();
    }
    expect(verifier.verify(token)).not.toBeInstanceOf(Promise);
  });
});
