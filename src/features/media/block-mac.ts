import { type Cipheriv, createCipheriv } from 'node:crypto';

/** The length of a message, and of its code. */
export const BLOCK_BYTES = 16;

/**
 * Computes AES-256-CMAC (NIST SP 800-38B) of messages of exactly one block: AES of the message XOR a subkey.
 * One call codes many messages. Making an object for a key costs about a thousand times as much as one code.
 */
export class BlockMac {
  readonly #cipher: Cipheriv;
  /** The subkey K1, which is for messages of whole blocks. */
  readonly #subkey: Buffer;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    this.#subkey = doubled(this.#cipher.update(Buffer.alloc(BLOCK_BYTES)));
  }

  /** The codes of messages that lie one after another, in their order. Changes `messages`. */
  codes(messages: Buffer): Buffer {
    const subkey = this.#subkey;
    for (let at = 0; at < messages.length; at += BLOCK_BYTES) {
      for (let i = 0; i < BLOCK_BYTES; i++) {
        messages[at + i]! ^= subkey[i]!;
      }
    }
    return this.#cipher.update(messages);
  }
}

/** Doubles a block in GF(2^128), without a branch that depends on the secret. */
function doubled(block: Buffer): Buffer {
  const twice = Buffer.alloc(BLOCK_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) {
    twice[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >> 7);
  }
  twice[BLOCK_BYTES - 1]! ^= 0x87 * (block[0]! >> 7);
  return twice;
}
