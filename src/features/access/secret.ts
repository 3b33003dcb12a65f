import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '../../common/caller.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 digits of base 62 have 178 bits; docs/contract/authentication.md#secrets requires 160. */
const RANDOM_DIGITS = 30;
/** 22 digits of base 62 have 131 bits; docs/contract/authentication.md#sign-in-links requires 128. */
const LINK_DIGITS = 22;
const LINK_FORM = new RegExp(`^[0-9A-Za-z]{${LINK_DIGITS}}$`);
/** Six digits can represent any CRC-32, because 62^6 is more than 2^32. */
const CHECKSUM_DIGITS = 6;

const FORM = new RegExp(
  `^stave_(?:test|live)_[0-9A-Za-z]{${RANDOM_DIGITS}}[0-9A-Za-z]{${CHECKSUM_DIGITS}}$`,
);

/**
 * Makes a client secret: `stave_test_` or `stave_live_`, 30 random digits of base 62 (alphabet `0-9A-Za-z`),
 * and the CRC-32 of all of that in six more digits, most significant first. The checksum lets a secret
 * scanner recognize a leaked secret offline.
 */
export function newSecret(mode: Mode): string {
  const text = `stave_${mode}_${randomDigits(RANDOM_DIGITS)}`;
  return text + checksum(text);
}

/** Whether the text has the form of a secret with a correct checksum. The secret need not exist. */
export function isWellFormedSecret(text: string): boolean {
  return (
    FORM.test(text) && checksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS)
  );
}

/** Returns the SHA-256 in 64 hex digits, which is the stored form. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Makes the token of a link: digits of base 62 with 131 random bits. */
export function newLinkToken(): string {
  return randomDigits(LINK_DIGITS);
}

/** Whether the text has the form of the token of a link. The link need not exist. */
export function isLinkToken(text: string): boolean {
  return LINK_FORM.test(text);
}

function randomDigits(count: number): string {
  let digits = '';
  while (digits.length < count) {
    for (const byte of randomBytes(count)) {
      // 248 is the largest multiple of 62 in a byte. Greater bytes would favor the first digits.
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
