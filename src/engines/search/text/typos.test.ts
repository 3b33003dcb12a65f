import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '../build/steps.ts';
import { alignment } from '../naive-ranks.test-support.ts';
import { typosForgiven } from './text-query.ts';
import { buildTypoColumns, noTypoColumns, TypoIndex, WantedWord } from './typos.ts';
import { WordList, wordColumns } from './word-list.ts';

/** The number of runs; `STAVE_TEST_RUNS=5000` makes a longer test. */
const RUNS = Number(process.env.STAVE_TEST_RUNS ?? 20) * 12;

function listOf(words: readonly string[]): WordList {
  const { units, starts } = wordColumns(words);
  return new WordList(units, starts);
}

function isNear(wanted: string, word: string, typos: number): boolean {
  return new WantedWord(wanted, typos).isNear(listOf([word]), 0);
}

/**
 * Few letters, so that many words are near each other. Two of the characters share their first UTF-16 unit,
 * and each unit also occurs alone.
 */
const letter = fc.constantFrom('a', 'b', 'ｃ', '𠮷', '𠮸', '\ud842', '\udfb7');
/** Words up to some characters longer than the indexed prefix. */
const word = fc.array(letter, { maxLength: 12 }).map((letters) => letters.join(''));

type Edit = (letters: string[], at: number, other: string) => void;
const edit = fc.constantFrom<Edit>(
  (letters, at) => letters.splice(at, 1),
  (letters, at, other) => letters.splice(at, 0, other),
  (letters, at, other) => letters.splice(at, 1, other),
  (letters, at) => letters.splice(at, 2, ...letters.slice(at, at + 2).reverse()),
);
/** A word, and words that differ from it by some typos. */
const family = fc
  .tuple(word, fc.array(fc.array(fc.tuple(edit, fc.nat(12), letter), { maxLength: 3 })))
  .map(([wanted, changes]) => {
    const others = changes.map((edits) => {
      const letters = Array.from(wanted);
      for (const [change, at, other] of edits) change(letters, at, other);
      return letters.join('');
    });
    return { wanted, others };
  });

const EDITS: [what: string, wanted: string, typos: number][] = [
  ['a missing letter', 'bethoven', 1],
  ['an extra letter', 'beethhoven', 1],
  ['a wrong letter', 'beethofen', 1],
  ['two swapped neighbors', 'beehtoven', 1],
  ['a wrong first letter', 'peethoven', 1],
  ['a missing first letter', 'eethoven', 1],
  ['swapped first two letters', 'ebethoven', 1],
  ['a wrong last letter', 'beethovem', 1],
  ['an extra letter before and another after', 'abeethovena', 2],
  ['two typos at the beginning', 'pteethoven', 2],
  ['two adjacent swaps', 'ebtehoven', 2],
  ['two missing equal letters', 'bthoven', 2],
  ['a typo at the beginning and another at the end', 'beehtovenn', 2],
];

describe('WantedWord', () => {
  it('is near the words that the textbook algorithm finds', () => {
    const words = fc.oneof(
      fc.tuple(word, word),
      family.map(({ wanted, others }) => [wanted, others[0] ?? ''] as const),
    );
    fc.assert(
      fc.property(words, fc.nat(3), ([wanted, other], typos) => {
        expect(isNear(wanted, other, typos)).toBe(alignment(wanted, other) <= typos);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(EDITS)('tolerates %s', (_what, wanted, typos) => {
    expect(isNear(wanted, 'beethoven', typos)).toBe(true);
    expect(isNear(wanted, 'beethoven', typos - 1)).toBe(false);
  });

  it('does not edit swapped letters again: the distance of ca and abc is three, not two', () => {
    expect(isNear('ca', 'abc', 2)).toBe(false);
    expect(isNear('ca', 'abc', 3)).toBe(true);
  });

  it('counts a surrogate pair as one letter, and half of a pair too', () => {
    expect(isNear('a𠮷b', 'a𠮸b', 1)).toBe(true);
    expect(isNear('a𠮷b', 'ab', 1)).toBe(true);
    expect(isNear('a𠮷b', 'ab𠮷', 1)).toBe(true);
    expect(isNear('a𠮷b', 'a\ud842b', 1)).toBe(true);
    expect(isNear('a𠮷', 'a\udfb7', 1)).toBe(true);
    expect(isNear('a𠮷', 'a\udfb7\ud842', 1)).toBe(false);
    expect(isNear('\ud842a\udfb7', '𠮷', 1)).toBe(false);
  });

  it('accepts words of thousands of letters', () => {
    const long = 'a'.repeat(4_000);
    expect(isNear(long, 'ab', 2)).toBe(false);
    expect(isNear('ab', long, 2)).toBe(false);
    expect(isNear(long, `${long}a`, 2)).toBe(true);
    expect(isNear(long, `b${long.slice(2)}b`, 2)).toBe(true);
    expect(isNear(long, `b${long.slice(2)}bb`, 2)).toBe(false);
  });
});

describe('TypoIndex', () => {
  const indexOf = (words: readonly string[]) => {
    const list = listOf(words);
    return new TypoIndex(list, runSteps(buildTypoColumns(list)));
  };
  const near = (words: readonly string[], wanted: string, typos = typosForgiven(wanted)) =>
    indexOf(words).near(new WantedWord(wanted, typos));

  it('finds exactly the words that the textbook algorithm finds', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        family.filter(({ wanted }) => typosForgiven(wanted) > 0),
        (some, { wanted, others }) => {
          const words = [...new Set([...some, ...others])].sort();
          const index = indexOf(words);
          for (let typos = 1; typos <= typosForgiven(wanted); typos++) {
            const expected = words.flatMap((one, at) =>
              alignment(wanted, one) <= typos ? [at] : [],
            );
            expect(index.near(new WantedWord(wanted, typos))).toEqual(expected);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each(EDITS)('finds a word despite %s', (_what, wanted, typos) => {
    const words = ['beet', 'beethoven', 'beethovens', 'beton'];
    if (typos <= typosForgiven(wanted)) {
      expect(near(words, wanted, typos)).toContain(1);
    }
    expect(near(words, 'beethoven')).toEqual([1, 2]);
  });

  it('finds the shortest words that can be near', () => {
    expect(near(['abc', 'abcd', 'abcde'], 'abcd')).toEqual([0, 1, 2]);
    expect(near(['abcdef', 'abcdefg', 'abcdefgh'], 'abcdefgh')).toEqual([0, 1, 2]);
    expect(near(['bcdefgh', 'cdefgh', 'defgh'], 'abcdefgh')).toEqual([0, 1]);
  });

  it('finds words that differ far after their beginning', () => {
    const words = ['', 'ab', 'ba'].map((end) => `symphonies${'a'.repeat(3_000)}${end}`).sort();
    expect(near(words, words[2]!)).toEqual([0, 1, 2]);
  });

  it('returns the same for consecutive searches as for each search alone', () => {
    const index = indexOf(['night', 'nights', 'nightsong', 'rain']);
    const found = ['nihgt', 'rainy', 'nihgtsong', 'nihgt'].map((wanted) =>
      index.near(new WantedWord(wanted, 1)),
    );
    expect(found).toEqual([[0], [3], [2], [0]]);
  });

  it('finds nothing if there are no words, or if no word is indexed', () => {
    expect(near([], 'beethoven')).toEqual([]);
    expect(near(['', 'a', 'ab'], 'abcd')).toEqual([]);
    const unindexed = new TypoIndex(listOf(['abcd']), noTypoColumns());
    expect(unindexed.near(new WantedWord('abcd', 1))).toEqual([]);
  });

  it('is built in steps, also of many words', () => {
    const words = Array.from({ length: 5_000 }, (_, i) => `word${i + 10_000}`);
    const list = listOf(words);
    const steps = buildTypoColumns(list);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(count).toBeGreaterThan(5);
    const index = new TypoIndex(list, step.value);
    for (let at = 0; at < words.length; at += 503) {
      expect(index.near(new WantedWord(words[at]!, 2))).toContain(at);
    }
  });
});
