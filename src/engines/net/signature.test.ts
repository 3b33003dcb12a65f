import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { systemClock } from '../../common/clock.ts';
import { newSigningSecret, shownSigningSecret, signedHeaders } from './signature.ts';

const ID = 'msg_0193a4c27b107c3e9f105d2e8b7a6c41';
/** The reference library refuses times that are five minutes from its own. */
const now = systemClock.now();
const TEXT = '{"type":"track.created","data":{"items":[{"name":"Größe 🎵\\n"}]}}';
const body = Buffer.from(TEXT);

const verified = (secret: Uint8Array, headers: Record<string, string>, bytes = body) =>
  new Webhook(shownSigningSecret(secret)).verify(bytes, headers);

test('the reference library verifies the signature', () => {
  const secret = newSigningSecret();
  expect(verified(secret, signedHeaders(ID, now, body, [secret]))).toEqual(JSON.parse(TEXT));
});

test('each secret verifies, and no other does', () => {
  const [current, previous, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
  const headers = signedHeaders(ID, now, body, [current, previous]);
  expect(headers['webhook-signature']).toMatch(/^v1,[^ ]{44} v1,[^ ]{44}$/);
  expect(verified(current, headers)).toEqual(verified(previous, headers));
  expect(() => verified(other, headers)).toThrow('No matching signature found');
});

test('the signature covers id, time and bytes', () => {
  const secret = newSigningSecret();
  const headers = signedHeaders(ID, now, body, [secret]);
  const later = String(Number(headers['webhook-timestamp']) + 1);
  expect(() => verified(secret, { ...headers, 'webhook-id': 'msg_1' })).toThrow();
  expect(() => verified(secret, { ...headers, 'webhook-timestamp': later })).toThrow();
  expect(() => verified(secret, headers, Buffer.from(`${TEXT} `))).toThrow();
});

test('a secret is whsec_ and the base64 of 32 random bytes', () => {
  const [one, other] = [newSigningSecret(), newSigningSecret()];
  expect(shownSigningSecret(one)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one.equals(other)).toBe(false);
});
