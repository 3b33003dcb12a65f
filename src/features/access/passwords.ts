import { OperatorError } from '../../common/errors.ts';
import { PasswordHashes, type StoredPassword } from './password-hashes.ts';

/** In code points, in NFC. */
const MIN_CHARACTERS = 15;
const MAX_CHARACTERS = 256;
/** The greatest size of a password in UTF-8, which bounds the work of a login. Earlier builds stored longer ones, too. */
const MAX_BYTES = 1_024;

/** About half a second for each. */
const hashes = new PasswordHashes({ p: 3 });
/** What is compared if there is no password, so that this takes as long. */
const NO_PASSWORD = hashes.ofNothing();

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
export function hashPassword(password: string): Promise<StoredPassword> {
  return hashes.make(password);
}

/**
 * Compares a password in constant time. Takes about half a second outside of the event loop, also if nothing is stored.
 * Throws unavailable if too many are compared.
 */
export async function isPassword(stored: StoredPassword | null, given: string): Promise<boolean> {
  if (Buffer.byteLength(given.normalize('NFC')) > MAX_BYTES) return false;
  return (await hashes.matches(stored ?? NO_PASSWORD, given)) && stored !== null;
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
  let steps: number[] = [];
  for (let i = 1; i <= characters.length; i++) {
    const next = i < characters.length ? stepsOf(characters[i - 1]!, characters[i]!) : [];
    const both = run === 1 ? next : next.filter((step) => steps.includes(step));
    if (both.length > 0) {
      run++;
      steps = both;
      continue;
    }
    if (run < SHORTEST_RUN) return false;
    run = 1;
  }
  return true;
}

/**
 * The directions from a character to its neighbor in an alphabet or on a keyboard, which may differ: `nm` is a step forward on
 * a keyboard, and one back in the alphabet.
 */
function stepsOf(from: string, to: string): number[] {
  const distance = to.codePointAt(0)! - from.codePointAt(0)!;
  if (distance === 0) return [0];
  return [
    ...(distance === 1 || ROWS.includes(from + to) ? [1] : []),
    ...(distance === -1 || ROWS.includes(to + from) ? [-1] : []),
  ];
}
