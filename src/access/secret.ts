import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from './client.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 digits of base 62 carry 178 bits; decisions §2 ask for 160. */
const RANDOM_DIGITS = 30;
/** 62^6 is more than 2^32, so six digits hold any CRC-32. */
const CHECKSUM_DIGITS = 6;

const FORM = new RegExp(
  `^stave_(?:test|live)_[0-9A-Za-z]{${RANDOM_DIGITS}}[0-9A-Za-z]{${CHECKSUM_DIGITS}}$`,
);

/**
 * A new client secret: `stave_test_` or `stave_live_`, 30 random digits of base 62, and the CRC-32
 * of all of that in six more (most significant first, alphabet `0-9A-Za-z`), so that a secret
 * scanner tells a leaked one from a look-alike without asking anybody.
 */
export function newSecret(mode: Mode): string {
  const text = `stave_${mode}_${randomDigits(RANDOM_DIGITS)}`;
  return text + checksum(text);
}

/** Whether the text has the form of a secret and its checksum holds; says nothing of whose it is. */
export function isWellFormedSecret(text: string): boolean {
  return (
    FORM.test(text) && checksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS)
  );
}

/** The form in which a secret is stored: its SHA-256, 64 hex digits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function randomDigits(count: number): string {
  let digits = '';
  while (digits.length < count) {
    for (const byte of randomBytes(count)) {
      // 248 is the largest multiple of 62 in a byte: bytes above it would favour the first digits.
      if (byte < 248 && digits.length < count) digits += DIGITS[byte % 62];
    }
  }
  return digits;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_DIGITS; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
