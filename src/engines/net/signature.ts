import { createHmac, randomBytes } from 'node:crypto';

export function newSigningSecret(): Buffer {
  return randomBytes(32);
}

/** Returns the text of a secret that the partner gets: `whsec_` and base64. */
export function shownSigningSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}

/**
 * Returns the headers that sign a message (Standard Webhooks 1.0.0), with one signature for each secret.
 * @param id the id of the message, without a dot, equal in all attempts
 * @param now the time of the attempt, in milliseconds since the epoch
 * @param body the bytes that are sent
 */
export function signedHeaders(
  id: string,
  now: number,
  body: Uint8Array,
  secrets: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64'),
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}
