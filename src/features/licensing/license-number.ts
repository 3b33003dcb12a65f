import { randomBytes } from 'node:crypto';
import type { Mode } from '../../common/caller/scopes.ts';

/** Base32 of Crockford: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 40 bits, so that nobody can guess a number. */
const RANDOM_BYTES = 5;
const MIN_DIGITS = 6;

/**
 * Returns the number of a license, such as `2026-000123-7K2QX9MD`. Those of test licenses begin with `TEST-`.
 * @param count how many licenses the mode has in this year, with this one
 */
export function licenseNumber(mode: Mode, year: number, count: number): string {
  const prefix = mode === 'test' ? 'TEST-' : '';
  const counted = String(count).padStart(MIN_DIGITS, '0');
  return `${prefix}${year}-${counted}-${crockford(randomBytes(RANDOM_BYTES))}`;
}

/** Writes five bits of each group of five bytes as one character. */
function crockford(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < (bytes.length * 8) / 5; i++) {
    text = ALPHABET[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return text;
}
