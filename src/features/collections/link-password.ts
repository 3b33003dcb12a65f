import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { unavailable } from '../../common/errors.ts';
import { limited } from '../../common/work/limited.ts';

/** The hash of a password with its cost and salt, as it is stored. */
export interface PasswordHash {
  N: number;
  r: number;
  p: number;
  salt: string;
  hash: string;
}

/** 32 MiB of memory and about a tenth of a second. A stored password keeps the cost that it was stored with. */
const COST = { N: 2 ** 15, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** Each hash takes a processor and its memory, so few are made at a time, and few wait. */
const inTurn = limited(2, {
  ms: 10_000,
  most: 50,
  tooLong: () => unavailable('Too many passwords are being checked; try again in a moment.', 5),
});

const hashWith: (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer> = promisify(scrypt);

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return { ...COST, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
}

/** Compares a password in constant time. */
export async function isPassword(stored: PasswordHash, given: string): Promise<boolean> {
  const expected = Buffer.from(stored.hash, 'base64url');
  const derived = await derive(given, Buffer.from(stored.salt, 'base64url'), stored);
  return timingSafeEqual(derived, expected);
}

function derive(
  password: string,
  salt: Buffer,
  { N, r, p }: Pick<PasswordHash, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  // Node refuses costs whose memory, 128 N r bytes and some more, exceeds this.
  const options = { N, r, p, maxmem: 256 * N * r };
  return inTurn(() => hashWith(password.normalize('NFC'), salt, HASH_BYTES, options));
}

/** The name of the cookie that opens a link. */
export function cookieName(linkId: string): string {
  return `__Host-stave-link-${linkId}`;
}

/** Returns the value of the cookie that opens a link until a time. A new password has another key, which ends cookies. */
export function cookieValue(linkId: string, password: PasswordHash, until: number): string {
  return `${until}.${macOf(linkId, password, until).toString('base64url')}`;
}

/** Whether a `Cookie` header has a valid cookie of the link. */
export function hasCookie(
  header: string | undefined,
  { id, password }: { id: string; password: PasswordHash },
  now: number,
): boolean {
  const prefix = `${cookieName(id)}=`;
  return (header ?? '').split(';').some((part) => {
    const cookie = part.trim();
    if (!cookie.startsWith(prefix)) return false;
    const [, until, mac] =
      /^([0-9]{1,15})\.([A-Za-z0-9_-]{43})$/.exec(cookie.slice(prefix.length)) ?? [];
    if (until === undefined || Number(until) <= now) return false;
    return timingSafeEqual(
      Buffer.from(mac!, 'latin1'),
      Buffer.from(macOf(id, password, Number(until)).toString('base64url'), 'latin1'),
    );
  });
}

function macOf(linkId: string, { hash }: PasswordHash, until: number): Buffer {
  return createHmac('sha256', Buffer.from(hash, 'base64url'))
    .update(`cookie of link ${linkId} until ${until}`)
    .digest();
}
