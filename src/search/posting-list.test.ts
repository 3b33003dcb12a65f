import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addBit, emptyBits, fullBits, hasBit } from './bits.ts';
import { PostingList, PostingLists } from './posting-list.ts';

describe('a posting list', () => {
  it('leaves in a set what it holds itself, be it sparse or dense', () => {
    const tracks = fc.uniqueArray(fc.nat(299), { maxLength: 300 });
    const sizes = fc.integer({ min: 300, max: 5_000 });
    fc.assert(
      fc.property(tracks, tracks, sizes, (inList, inSet, size) => {
        const list = new PostingList(
          inList.sort((a, b) => a - b),
          size,
        );
        const bits = emptyBits(size);
        for (const ordinal of inSet) {
          addBit(bits, ordinal);
        }
        list.intersectInto(bits);
        expect(list.count).toBe(inList.length);
        for (let ordinal = 0; ordinal < size; ordinal++) {
          const inBoth = inList.includes(ordinal) && inSet.includes(ordinal);
          if (hasBit(bits, ordinal) !== inBoth) {
            expect.fail(`ordinal ${ordinal} is ${inBoth ? 'missing' : 'too much'}`);
          }
        }
      }),
    );
  });

  it('counts a track once, however often it comes with the same key', () => {
    const lists = new PostingLists<string>();
    lists.add('a', 1);
    lists.add('a', 1);
    lists.add('b', 1);
    lists.add('a', 3);
    const finished = lists.finish(4);
    expect(finished.get('a')?.count).toBe(2);
    const bits = fullBits(4);
    finished.get('a')?.intersectInto(bits);
    expect([0, 1, 2, 3].filter((ordinal) => hasBit(bits, ordinal))).toEqual([1, 3]);
  });
});
