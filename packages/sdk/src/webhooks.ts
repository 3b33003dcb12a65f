import { StaveError } from './errors.ts';
import type { WebhookMessage } from './generated/types.ts';

/** A message that was not signed with the secret, or too long ago. Respond with 401, and do not process it. */
export class StaveSignatureError extends StaveError {
  override name = 'StaveSignatureError';
}

export interface SignedMessage {
  /** The bytes or the text of the body as they arrived, before any parsing. */
  body: string | Uint8Array;
  /** The headers of the request. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The secret of the webhook, `whsec_…`. While it is replaced, both. */
  secret: string | string[];
  /** How old a message may be, in seconds. By default 300. */
  toleranceSeconds?: number;
}

/**
 * Verifies the signature of a message to a webhook, and returns the message (Standard Webhooks,
 * https://www.standardwebhooks.com). Rejects with a StaveSignatureError, or with a TypeError if the secret or the type of the
 * body is wrong. A message may arrive twice: its `webhook-id` is then the same.
 */
export async function verifyWebhook(message: SignedMessage): Promise<WebhookMessage> {
  const { body, secret, toleranceSeconds = 300 } = message;
  const id = headerOf(message, 'webhook-id');
  const time = headerOf(message, 'webhook-timestamp');
  const signatures = headerOf(message, 'webhook-signature');
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) <= toleranceSeconds)) {
    throw new StaveSignatureError('webhook-timestamp is not a recent time');
  }
  const signed = signedBytes(`${id}.${time}.`, body);
  const given = signatures.split(' ').filter((one) => one.startsWith('v1,'));
  for (const one of [secret].flat()) {
    const expected = await signatureOf(signed.all, one);
    if (given.some((signature) => isEqual(bytesOf(signature.slice(3)), expected))) {
      return JSON.parse(new TextDecoder().decode(signed.body)) as WebhookMessage;
    }
  }
  throw new StaveSignatureError('webhook-signature does not fit the body and the secret');
}

/** The value of a header, whose name may be in any case. */
function headerOf({ headers }: SignedMessage, name: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const values = entries
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value);
  if (values.length !== 1 || typeof values[0] !== 'string') {
    throw new StaveSignatureError(`the header ${name} is missing, or comes twice`);
  }
  return values[0];
}

function signedBytes(start: string, text: string | Uint8Array) {
  const encoder = new TextEncoder();
  const body = typeof text === 'string' ? encoder.encode(text) : text;
  if (!(body instanceof Uint8Array)) {
    throw new TypeError('body must be the text or the bytes as they arrived, before any parsing');
  }
  const first = encoder.encode(start);
  const all = new Uint8Array(first.length + body.length);
  all.set(first);
  all.set(body, first.length);
  return { all, body };
}

/** Computed once for each secret, however many signatures a stranger sends. */
async function signatureOf(signed: Uint8Array<ArrayBuffer>, secret: string): Promise<Uint8Array> {
  const bytes = bytesOf((secret ?? '').replace(/^whsec_/, ''));
  // Anybody can sign with an empty one.
  if (bytes.length === 0) throw new TypeError('secret must be a whsec_… secret');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
}

/** Compares in a time that depends on the lengths alone. */
function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  const difference = expected.reduce((sum, byte, i) => sum | (byte ^ (given[i] ?? 0)), 0);
  return given.length === expected.length && difference === 0;
}

/** The bytes of a base64 text; none if it is not one. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
