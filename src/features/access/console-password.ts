import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Actor } from '../../common/caller.ts';
import { OperatorError } from '../../common/errors.ts';
import type { ConsolePassword, ConsoleStore } from './store/console-store.ts';

const MIN_CHARACTERS = 12;
/** The greatest size of a password in UTF-8, which bounds the work of a login. */
const MAX_PASSWORD_BYTES = 1_024;

/**
 * The cost of a hash: 32 MiB of memory and about half a second (OWASP Password Storage Cheat Sheet, scrypt). A stored
 * password keeps the cost that it was stored with.
 */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

const hashWith: (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer> = promisify(scrypt);

/** Sets the password of the console, which ends all its sessions. Throws OperatorError for an unusable password. */
export async function setConsolePassword(
  { store, by }: { store: { console: ConsoleStore }; by: Actor },
  password: string,
): Promise<void> {
  const normal = checkedPassword(password);
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(normal, salt, COST);
  const stored = { ...COST, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
  await store.console.setPassword(stored, by);
}

/** Compares a password in constant time. Works for about half a second outside of the event loop. */
export async function isConsolePassword(stored: ConsolePassword, given: string): Promise<boolean> {
  if (Buffer.byteLength(given) > MAX_PASSWORD_BYTES) return false;
  const expected = Buffer.from(stored.hash, 'base64url');
  const salt = Buffer.from(stored.salt, 'base64url');
  return timingSafeEqual(await derive(given.normalize('NFC'), salt, stored), expected);
}

/** Returns the key that signs the sessions of a password. A new password has a new key. */
export function sessionKeyOf(stored: ConsolePassword): Buffer {
  return createHmac('sha256', Buffer.from(stored.hash, 'base64url'))
    .update('sessions of the console')
    .digest();
}

function checkedPassword(password: string): string {
  const normal = password.normalize('NFC');
  if (/\p{Cc}/u.test(normal)) {
    throw new OperatorError('the password must be one line without control characters');
  }
  if ([...normal].length < MIN_CHARACTERS) {
    throw new OperatorError(`the password must have at least ${MIN_CHARACTERS} characters`);
  }
  if (Buffer.byteLength(normal) > MAX_PASSWORD_BYTES) {
    throw new OperatorError(`the password must have at most ${MAX_PASSWORD_BYTES} bytes`);
  }
  return normal;
}

function derive(
  password: string,
  salt: Buffer,
  { N, r, p }: Pick<ConsolePassword, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  // Node refuses costs whose memory, 128 N r bytes and some more, exceeds this.
  return hashWith(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r });
}
