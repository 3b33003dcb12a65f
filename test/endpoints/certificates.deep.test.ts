import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rotateLicenseKeys } from '../../src/features/licensing/license-keys.ts';
import { delivery } from '../harness/catalog.ts';
import { publishCard } from '../harness/licensing.ts';
import { sell } from '../harness/sold-licenses.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'stave-certificates-'));
const LIVE = '/.well-known/jwks.json';
const TEST = '/.well-known/jwks-test.json';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  const tracks = [0, 1, 2].map((n) => delivery(n, { isrc: n === 0 ? 'ZZSTV2600001' : '' }));
  server = await startTestServer({ tracks, config: { publicUrl: 'https://music.house.example' } });
  await publishCard(server.operator.store);
  client = await server.createClient({ features: ['licensing'] });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.close();
});

const sold = async (mode: 'live' | 'test', term = 'P1Y') =>
  sell(server, await client.token({ mode }), { tracks: [delivery(0).id, delivery(1).id], term });

/** The keys at a path, as a library gets them, at the time of the server. */
const verified = (certificate: string, path: string) =>
  jwtVerify(certificate, createRemoteJWKSet(new URL(server.address + path)), {
    typ: 'license+jwt',
    algorithms: ['Ed25519'],
    currentDate: new Date(server.clock.now()),
  });

/** Verifies a certificate by openssl with the published keys alone. Returns whether it is valid. */
async function opensslVerifies(certificate: string, path: string): Promise<boolean> {
  const { kid } = decodeProtectedHeader(certificate);
  const response = await fetch(server.address + path);
  const { keys } = (await response.json()) as { keys: { kid: string; x: string }[] };
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined) return false;
  const file = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const point = certificate.lastIndexOf('.');
  const frame = Buffer.from('302a300506032b6570032100', 'hex');
  const args = [
    ...['pkeyutl', '-verify', '-rawin', '-pubin', '-keyform', 'DER'],
    ...['-inkey', file('key.der', Buffer.concat([frame, Buffer.from(key.x, 'base64url')]))],
    ...['-in', file('signed', certificate.slice(0, point))],
    ...['-sigfile', file('signature', Buffer.from(certificate.slice(point + 1), 'base64url'))],
  ];
  try {
    return execFileSync('openssl', args, { stdio: 'pipe' }).toString().includes('Successfully');
  } catch {
    return false;
  }
}

/** The certificate with one byte of its decoded claims or signature changed. */
function changed(certificate: string, part: 1 | 2, at: number): string {
  const parts = certificate.split('.');
  const bytes = Buffer.from(parts[part]!, 'base64url');
  bytes[at % bytes.length]! ^= 1;
  parts[part] = bytes.toString('base64url');
  return parts.join('.');
}

describe('a certificate', () => {
  it('says what the license grants, and nothing of price, status, email or client', async () => {
    const license = await sold('live');
    const { payload, protectedHeader } = await verified(license.certificate, LIVE);
    expect(protectedHeader).toEqual({
      alg: 'Ed25519',
      kid: expect.any(String),
      typ: 'license+jwt',
    });
    const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
    const { number, project, media, territories, exclusive, startsAt, endsAt } = license;
    expect(payload).toEqual({
      iss: 'https://music.house.example',
      jti: number,
      sub: license.licensee.name,
      iat: seconds(license.issuedAt),
      nbf: seconds(startsAt),
      exp: seconds(endsAt),
      mode: 'live',
      license: {
        number,
        licensee: { name: license.licensee.name, country: 'DE' },
        ...{ project, media, territories, exclusive, startsAt, endsAt },
        tracks: license.tracks.map(({ takenDown: _, ...track }: { takenDown: boolean }) => track),
        termsVersion: license.termsVersion,
        termsUrl: license.termsUrl,
      },
    });
    const text = JSON.stringify(payload);
    for (const secret of [client.clientId, '@', 'amount', 'takenDown']) {
      expect(text).not.toContain(secret);
    }
  });

  it('has no end if the license is perpetual', async () => {
    const { certificate, endsAt } = await sold('live', 'PERPETUAL');
    expect(endsAt).toBeNull();
    const { payload } = await verified(certificate, LIVE);
    expect(payload).not.toHaveProperty('exp');
    expect(payload.license).toMatchObject({ endsAt: null });
  });

  it('is verified by openssl from the published keys alone, and not with one byte changed', async () => {
    const { certificate } = await sold('live');
    expect(await opensslVerifies(certificate, LIVE)).toBe(true);
    for (const at of [5, 100]) {
      expect(await opensslVerifies(changed(certificate, 1, at), LIVE)).toBe(false);
      expect(await opensslVerifies(changed(certificate, 2, at), LIVE)).toBe(false);
    }
  });

  it('is refused by jose with any byte of the claims or the signature changed', async () => {
    const { certificate } = await sold('live');
    for (let at = 0; at < 64; at += 3) {
      await expect(verified(changed(certificate, 1, at), LIVE)).rejects.toThrow();
      await expect(verified(changed(certificate, 2, at), LIVE)).rejects.toThrow();
    }
  });

  it('of a test license is verified by the test keys, and by no live key', async () => {
    const { certificate, number } = await sold('test');
    expect(number).toMatch(/^TEST-/);
    const { payload } = await verified(certificate, TEST);
    expect(payload.mode).toBe('test');
    await expect(verified(certificate, LIVE)).rejects.toThrow(/no applicable key/);
    expect(await opensslVerifies(certificate, TEST)).toBe(true);
    expect(await opensslVerifies(certificate, LIVE)).toBe(false);
  });

  it('stays valid when the keys are rotated, which the node sees', async () => {
    const before = await sold('live');
    const { store, clock } = server.operator;
    const { live } = await rotateLicenseKeys({ keys: store.licenseKeys, clock }, 'test:harness');
    await server.until(async () => {
      const { data } = await server.call('readLicenseKeys');
      return data.keys[0].kid === live;
    });
    const after = await sold('live');
    expect(decodeProtectedHeader(after.certificate).kid).toBe(live);
    for (const { certificate } of [before, after]) {
      await verified(certificate, LIVE);
      expect(await opensslVerifies(certificate, LIVE)).toBe(true);
    }
  });
});
