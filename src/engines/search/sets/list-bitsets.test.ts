import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BitSpace, LISTS_KEPT } from './bit-kernel.ts';
import { ListBitsets } from './list-bitsets.ts';

const SIZE = 1_000;

it('a list has its own bitset, also where more lists are needed than are kept', () => {
  const all = Uint32Array.from({ length: SIZE }, (_, i) => i);
  // Each list begins and ends at other places of the same memory.
  const lists = Array.from({ length: LISTS_KEPT + 8 }, (_, i) => all.subarray(i, 100 + 2 * i));
  fc.assert(
    fc.property(fc.array(fc.nat(lists.length - 1), { maxLength: 200 }), (order) => {
      const bitsets = new ListBitsets(SIZE, new BitSpace(SIZE, {}));
      for (const i of order) {
        const list = lists[i]!;
        const bits = bitsets.of(list.subarray());
        expect(all.filter((ordinal) => (bits[ordinal >>> 5]! >>> (ordinal & 31)) & 1)).toEqual(
          list,
        );
      }
    }),
    { numRuns: 20 },
  );
});
