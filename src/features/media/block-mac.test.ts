import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES, BlockMac } from './block-mac.ts';

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
const blocks = fc.uint8Array({ minLength: BLOCK_BYTES, maxLength: BLOCK_BYTES });

/** Computes SP 800-38B §6 for whole blocks, with numbers of 128 bits. */
function reference(key: Uint8Array, ...message: [...Uint8Array[], Uint8Array]): string {
  const encrypt = (block: bigint) => {
    const bytes = Buffer.from(block.toString(16).padStart(32, '0'), 'hex');
    return BigInt(`0x${createCipheriv('aes-256-ecb', key, null).update(bytes).toString('hex')}`);
  };
  const l = encrypt(0n);
  const k1 = BigInt.asUintN(128, l << 1n) ^ (l >> 127n === 1n ? 0x87n : 0n);
  const numbers = message.map((block) => BigInt(`0x${Buffer.from(block).toString('hex')}`));
  numbers[numbers.length - 1]! ^= k1;
  const coded = numbers.reduce((chained, block) => encrypt(chained ^ block), 0n);
  return coded.toString(16).padStart(32, '0');
}

describe('BlockMac', () => {
  it('matches the example of SP 800-38B, D.3, for one block', () => {
    const key = Buffer.from(
      '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
      'hex',
    );
    const message = Buffer.from('6bc1bee22e409f96e93d7e117393172a', 'hex');
    const mac = new BlockMac(key);
    expect(mac.codes(message, mac.oneBlock).toString('hex')).toBe(
      '28a7023f452e8f82bd4bf28d8c37c35c',
    );
  });

  it('returns the code of the definition for each of many messages of one block and of two', () => {
    fc.assert(
      fc.property(
        keys,
        fc.array(fc.tuple(fc.option(blocks), blocks), { minLength: 1, maxLength: 5 }),
        (key, messages) => {
          const mac = new BlockMac(key);
          const expected = messages
            .map(([first, last]) => reference(key, ...(first === null ? [last] : [first, last])))
            .join('');
          const lasts = Buffer.concat(messages.map(([, last]) => last));
          const masks = messages.map(([first]) =>
            first === null ? mac.oneBlock : mac.after(first),
          );
          const coded = () => mac.codes(lasts, masks).toString('hex');
          expect([coded(), coded()]).toEqual([expected, expected]);
        },
      ),
    );
  });
});
