import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { OperatorError, StaveError } from '../../common/errors.ts';
import { limited } from '../../common/work/limited.ts';

/** A hash by scrypt with its cost. */
export interface StoredPassword {
  N: number;
  r: number;
  p: number;
  /** Base64url. */
  salt: string;
  hash: string;
}

/** In code points, in NFC. */
const MIN_CHARACTERS = 15;
const MAX_CHARACTERS = 256;
/** The greatest size of a password in UTF-8, which bounds the work of a login. Earlier builds stored longer ones, too. */
const MAX_BYTES = 1_024;
/**
 * The cost of a hash: 32 MiB of memory and about half a second (OWASP Password Storage Cheat Sheet, scrypt). A stored
 * password keeps the cost that it was stored with.
 */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Each hash takes 32 MiB, and one of the four threads that read files. */
const HASHES_AT_ONCE = 2;
const HASH_WAIT_MS = 10_000;

const inTurn = limited(HASHES_AT_ONCE, {
  ms: HASH_WAIT_MS,
  tooLong: () => new StaveError('unavailable', 'Too many passwords are checked; try again.'),
});

const hashWith: (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer> = promisify(scrypt);

/** What is compared if there is no password, so that this takes as long. */
const NO_PASSWORD: StoredPassword = {
  ...COST,
  salt: randomBytes(SALT_BYTES).toString('base64url'),
  hash: randomBytes(HASH_BYTES).toString('base64url'),
};

/**
 * Throws OperatorError unless the text can be the password of an operator: 15 to 256 characters that are not the name, a
 * repetition, or made of sequences.
 */
export function checkedPassword(text: string, name: string): string {
  const password = text.normalize('NFC');
  if (/\p{Cc}/u.test(password)) {
    throw new OperatorError('the password must be one line without control characters');
  }
  const { length } = [...password];
  if (length < MIN_CHARACTERS || length > MAX_CHARACTERS) {
    throw new OperatorError(
      `the password must have ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters, and has ${length}`,
    );
  }
  const compared = password.toLowerCase();
  if (compared === name) throw new OperatorError('the password must not be the name');
  const unspaced = compared.replaceAll(/\s/gu, '');
  if (isRepetition(compared) || isRepetition(unspaced))
    throw new OperatorError('the password must not repeat itself');
  if (isOfSequences(compared)) {
    throw new OperatorError('the password must not be a sequence, such as abc or 123');
  }
  return password;
}

/** Hashes a checked password. Throws unavailable if too many are hashed. */
export async function hashPassword(password: string): Promise<StoredPassword> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return { ...COST, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
}

/**
 * Compares a password in constant time. Takes about half a second outside of the event loop, also if nothing is stored.
 * Throws unavailable if too many are compared.
 */
export async function isPassword(stored: StoredPassword | null, given: string): Promise<boolean> {
  const password = given.normalize('NFC');
  if (Buffer.byteLength(password) > MAX_BYTES) return false;
  const { salt, hash, ...cost } = stored ?? NO_PASSWORD;
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && stored !== null;
}

function derive(
  password: string,
  salt: Buffer,
  { N, r, p }: Pick<StoredPassword, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  // Node refuses costs whose memory, 128 N r bytes and some more, exceeds this.
  return inTurn(() => hashWith(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }));
}

/** Whether the text is one shorter text at least twice, the last time perhaps in part. */
function isRepetition(text: string): boolean {
  const characters = [...text];
  for (let period = 1; period <= characters.length / 2; period++) {
    if (characters.every((one, i) => i < period || one === characters[i - period])) return true;
  }
  return false;
}

/** The rows of keyboards, and where digits go on. */
const ROWS = [
  ...['qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjklyxcvbnm', 'azertyuiopqsdfghjklmwxcvbn'],
  '8901',
].join('\n');
/** A shorter run of neighbors is in many words. */
const SHORTEST_RUN = 3;

/** Whether the text consists of runs such as `abcd`, `4321`, `qwer` and `aaa`. */
function isOfSequences(text: string): boolean {
  const characters = [...text];
  let run = 1;
  let step: number | undefined;
  for (let i = 1; i <= characters.length; i++) {
    const next = i < characters.length ? stepOf(characters[i - 1]!, characters[i]!) : undefined;
    if (next !== undefined && (run === 1 || next === step)) {
      run++;
      step = next;
      continue;
    }
    if (run < SHORTEST_RUN) return false;
    run = 1;
  }
  return true;
}

/** The direction from a character to its neighbor in an alphabet or on a keyboard; undefined if they are no neighbors. */
function stepOf(from: string, to: string): -1 | 0 | 1 | undefined {
  const distance = to.codePointAt(0)! - from.codePointAt(0)!;
  if (distance === 0) return 0;
  if (distance === 1 || ROWS.includes(from + to)) return 1;
  return distance === -1 || ROWS.includes(to + from) ? -1 : undefined;
}
