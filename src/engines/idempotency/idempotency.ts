import type { ClientMode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';

/** How long a key is valid, from the time at which it was claimed. */
export const KEY_MS = DAY_MS;
/**
 * After this time, another request may take over a key whose request has neither ended nor failed, because its node
 * may be gone.
 */
export const CLAIM_MS = 60_000;
/**
 * The largest body that is kept, in bytes. A license of 100 tracks has about 50 KB; only one whose tracks have very long
 * names, or many artists, has more than this. It takes about 30 ms to compress, in the transaction of the change.
 */
export const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest extends ClientMode {
  /** 1 to 255 visible ASCII characters. */
  key: string;
  /** SHA-256 of what equal requests have in common. */
  fingerprint: Buffer;
}

/** The right to do the request of a key. */
export interface KeyClaim extends KeyedRequest {
  /** When others may take the key over, in milliseconds since the epoch. */
  until: number;
  /** A random number, which distinguishes the claims of a key. */
  id: number;
}

/** A response that repeated requests get. It contains no secrets. */
export interface KeptResponse {
  status: number;
  /** What the operation adds to the headers of every response, by their names. */
  headers: Readonly<Record<string, string>>;
  /** The envelope; at most `MAX_KEPT_BYTES`. */
  body: Buffer;
}

/** Returns the error for a key that belongs to another request. */
export function otherRequest(): StaveError {
  return new StaveError(
    'idempotency_mismatch',
    'This Idempotency-Key belongs to another request: use a new key for each request, and the same only to repeat one.',
  );
}

export function tooLongToKeep(): StaveError {
  return new StaveError(
    'conflict',
    `The response has more than ${MAX_KEPT_BYTES / 1024 / 1024} MiB, so it cannot be kept for an Idempotency-Key, and nothing was changed: send the request without a key.`,
  );
}

/** Returns the error for a key whose request has not ended. */
export function inProgress(): StaveError {
  return new StaveError(
    'conflict',
    'A request with this Idempotency-Key is in progress: repeat it after Retry-After.',
    { headers: { 'Retry-After': '1' } },
  );
}
