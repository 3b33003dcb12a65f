import { hash } from 'node:crypto';
import type { Scope } from './caller.ts';
import { isLoopback } from './loopback.ts';

/** The scopes that a browser token may have (docs/contract/authentication.md#browser-tokens). */
export const BROWSER_SCOPES: readonly Scope[] = [
  'tracks',
  'search',
  'filters',
  'playlists',
  'similar',
  'previews',
  'localization',
];

/** Requests a minute of one user of a client's pages, or of all requests with tokens that name no user. */
export const BROWSER_RATE_LIMIT = 120;

/** Browsers resolve these names themselves, to this machine. */
const LOOPBACK_NAME = /^(?:[a-z0-9-]+\.)+localhost$/;

/** Whether a text is the origin of a page as browsers send it, with TLS or on loopback. */
export function isPageOrigin(text: string): boolean {
  // Browsers send no pattern, and a pattern would match nothing.
  if (text.includes('*') || !URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  if (origin !== text) return false;
  const isLocal = () => isLoopback(hostname) || LOOPBACK_NAME.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal());
}

const DIGEST_LENGTH = 22;

/** Returns 132 bits of the SHA-256 of a text, in base64url. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

export function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{22}$/.test(value);
}
