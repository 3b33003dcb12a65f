import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BitSpace, bitsIn, newBitMemory, plainKernel } from './bit-kernel.ts';
import { wordsFor } from './bits.ts';
import { numbersOf, SIGN_WORDS, SOUND_BYTES, SOUND_WORDS, writeSigns } from './sounds.ts';

const SIZE = 700;
const NUMBERS = SIZE * SOUND_BYTES;

const memory = newBitMemory();
const sounds = bitsIn(memory, SIZE * SOUND_WORDS);
const signs = bitsIn(memory, SIZE * SIGN_WORDS);
const bits = bitsIn(memory, wordsFor(SIZE));
const space = new BitSpace(SIZE, { memory });
const plain = new BitSpace(SIZE, {});

/** Any bytes, with sounds that are unknown, and extremes. */
const drawn = fc
  .uint8Array({ minLength: SOUND_BYTES * 3, maxLength: SOUND_BYTES * 8 })
  .map((bytes) => Int8Array.from({ length: NUMBERS }, (_, i) => numberAt(bytes, i)));

function numberAt(bytes: Uint8Array, i: number): number {
  const track = Math.floor(i / SOUND_BYTES);
  if (track % 9 === 0) return 0;
  if (track % 10 === 0) return track % 20 === 0 ? -128 : 127;
  return bytes[(i * 7 + track) % bytes.length]!;
}

it('finds the same sounds with and without the bit kernel', () => {
  expect(space.kernel).not.toBe(plainKernel);
  fc.assert(
    fc.property(
      drawn,
      fc.array(fc.nat(SIZE - 1), { maxLength: 400 }),
      fc.integer({ min: 0, max: SOUND_BYTES }),
      fc.constantFrom(Number.NEGATIVE_INFINITY, -300, 0.5, 90, 400),
      (numbers, members, most, least) => {
        numbersOf(sounds).set(numbers);
        for (let track = 0; track < SIZE; track++) writeSigns(numbers, track, signs);
        bits.fill(0);
        for (const track of members) bits[track >>> 5]! |= 1 << (track & 31);
        const tracks = { bits, from: 0, to: bits.length };
        const found = [space, plain].map(({ scratch, kernel }) => {
          scratch.seed.set(numbers.subarray(SOUND_BYTES, 2 * SOUND_BYTES));
          scratch.seedSigns.set(signs.subarray(SIGN_WORDS, 2 * SIGN_WORDS));
          scratch.counts.fill(0);
          kernel.countSigns(scratch, { sounds, signs }, tracks);
          const count = kernel.soundsAbove(scratch, { sounds, signs }, tracks, { most, least });
          return { counts: [...scratch.counts], tracks: [...scratch.found.subarray(0, count)] };
        });
        expect(found[0]).toEqual(found[1]);
      },
    ),
    { numRuns: 50 },
  );
});
