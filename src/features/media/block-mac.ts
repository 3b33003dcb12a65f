import { type Cipheriv, createCipheriv } from 'node:crypto';

/** The bytes of a block of AES, and of a UUID. */
export const BLOCK_BYTES = 16;

/** The messages of a call, XOR a subkey: one buffer for all calls. */
let masked = Buffer.alloc(100 * BLOCK_BYTES);

/**
 * Computes AES-256-CMAC (NIST SP 800-38B) of messages of one or two blocks: AES of the last block XOR a mask. One call codes
 * many messages. Making an object for a key costs about a thousand times as much as one code.
 */
export class BlockMac {
  readonly #cipher: Cipheriv;
  /** The mask of a message of one block: the subkey K1, which is for messages of whole blocks. */
  readonly oneBlock: Uint8Array;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    this.oneBlock = doubled(this.#cipher.update(Buffer.alloc(BLOCK_BYTES)));
  }

  /** Returns the mask of the messages of two blocks that begin with this one. Takes one pass of AES. */
  after(first: Uint8Array): Uint8Array {
    return this.#cipher.update(first).map((byte, i) => byte ^ this.oneBlock[i]!);
  }

  /**
   * Returns the codes of messages in their order.
   *
   * @param lasts the last block of each message
   * @param masks the mask of all messages, or of each of them
   */
  codes(lasts: Uint8Array, masks: Uint8Array | readonly Uint8Array[]): Buffer {
    if (masked.length < lasts.length) masked = Buffer.alloc(lasts.length);
    const ofAll = masks instanceof Uint8Array ? masks : undefined;
    for (let at = 0; at < lasts.length; at += BLOCK_BYTES) {
      const mask = ofAll ?? (masks[at / BLOCK_BYTES] as Uint8Array);
      for (let i = 0; i < BLOCK_BYTES; i++) {
        masked[at + i] = lasts[at + i]! ^ mask[i]!;
      }
    }
    return this.#cipher.update(masked.subarray(0, lasts.length));
  }
}

/** Doubles in GF(2^128), without a branch that depends on the secret. */
function doubled(block: Buffer): Buffer {
  const twice = Buffer.alloc(BLOCK_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) {
    twice[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >> 7);
  }
  twice[BLOCK_BYTES - 1]! ^= 0x87 * (block[0]! >> 7);
  return twice;
}

/** The length of a block in base64url. */
export const BASE64URL_LENGTH = 22;

const HEX = '0123456789abcdef';
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/** The value of each hexadecimal digit, by its ASCII code. */
const VALUES = new Uint8Array(256);
for (let value = 0; value < HEX.length; value++) {
  VALUES[HEX.charCodeAt(value)] = value;
}

/**
 * Writes the lower-case UUID at `from` into the block at `at`, without strings and calls into the runtime. Other text
 * gives meaningless bytes.
 */
export function readUuid(text: Uint8Array, from: number, block: Uint8Array, at: number): void {
  let digit = from;
  for (let byte = 0; byte < 16; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) {
      digit++;
    }
    const high = VALUES[text[digit++]!]!;
    const low = VALUES[text[digit++]!]!;
    block[at + byte] = (high << 4) | low;
  }
}

/** Writes the block at `from` as 22 ASCII bytes at `at`, without strings and calls into the runtime. */
export function writeBase64url(
  block: Uint8Array,
  from: number,
  text: Uint8Array,
  at: number,
): void {
  let to = at;
  for (let byte = from; byte < from + 15; byte += 3) {
    const bits = (block[byte]! << 16) | (block[byte + 1]! << 8) | block[byte + 2]!;
    text[to++] = DIGITS[bits >> 18]!;
    text[to++] = DIGITS[(bits >> 12) & 63]!;
    text[to++] = DIGITS[(bits >> 6) & 63]!;
    text[to++] = DIGITS[bits & 63]!;
  }
  const last = block[from + 15]!;
  text[to++] = DIGITS[last >> 2]!;
  text[to] = DIGITS[(last & 3) << 4]!;
}
