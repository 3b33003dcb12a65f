import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignment } from './naive-index.test-support.ts';
import { nearWords } from './typos.ts';
import { WordList, wordColumns } from './word-list.ts';

function listOf(words: readonly string[]): WordList {
  const { units, starts } = wordColumns(words);
  return new WordList(units, starts);
}

/** The last two letters share their first UTF-16 unit, the one before sorts after them. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ｃ', '𠮷', '𠮸'), maxLength: 9 });

describe('nearWords', () => {
  it('finds the words that the textbook table finds', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { maxLength: 60 }),
        word,
        fc.nat(2),
        (some, wanted, typos) => {
          const words = some.sort();
          const near = words.flatMap((one, at) => (alignment(wanted, one) <= typos ? [at] : []));
          expect(nearWords(listOf(words), wanted, typos)).toEqual(near);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['a letter less', 'bethoven', 1],
    ['a letter more', 'beethhoven', 1],
    ['another letter', 'beethofen', 1],
    ['two neighbours swapped', 'beehtoven', 1],
    ['two of these', 'behtoven', 2],
  ])('forgives %s', (_what, wanted, typos) => {
    const words = ['beet', 'beethoven', 'beethovens', 'beton'];
    expect(nearWords(listOf(words), wanted, typos)).toContain(1);
    expect(nearWords(listOf(words), wanted, typos - 1)).not.toContain(1);
  });

  it('does not edit what it swapped: ca and abc are three apart, not two', () => {
    expect(nearWords(listOf(['abc']), 'ca', 2)).toEqual([]);
    expect(alignment('ca', 'abc')).toBe(3);
  });

  it('bears a wanted word of thousands of letters', () => {
    expect(nearWords(listOf(['a', 'ab', 'b']), 'a'.repeat(4_000), 2)).toEqual([]);
    expect(nearWords(listOf(['a'.repeat(4_001)]), 'a'.repeat(4_000), 2)).toEqual([0]);
  });
});
