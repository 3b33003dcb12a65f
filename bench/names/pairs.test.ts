import { expect, it } from 'vitest';
import { buildIndexOver } from '../engine/build-index-over.ts';
import { entriesNamed, readPairs, tryPairs } from './pairs.ts';

const pairs = readPairs('pairs.csv');

/** The pairs that should match but do not, and why. */
const MISSED: Readonly<Record<string, string>> = {
  'manos hadjidakis': 'dj for τζ',
  'nana mouskouri': 'σχ that is spoken as σκ',
  'kishore kumar': 'an e that is not spoken',
  'mohammad reza shajarian': 'names that are written as one word',
  'love me harder': 'a digit at the end of a word stands for no letter',
};

/** The pairs that should not match but do, and why. */
const FALSE: Readonly<Record<string, string>> = {
  slim: 'Arabic names are compared by their consonants',
  shore: 'Hebrew names are compared by their consonants',
  'the i999 sessions': 'one typo',
  yesi: 'one typo',
};

it('there are 320 different pairs, of which at least 60 should not match', () => {
  expect(new Set(pairs.map(({ name, query }) => `${name}\n${query}`)).size).toBe(320);
  expect(pairs.filter(({ isMatch }) => !isMatch).length).toBeGreaterThanOrEqual(60);
});

it('each pair matches as it should, except for those that are known', () => {
  const entries = entriesNamed(pairs, []);
  const tried = tryPairs(buildIndexOver(entries), pairs, entries);
  const queries = (some: typeof tried) => some.map(({ pair }) => pair.query).sort();
  const missed = tried.filter(({ pair, isAmongTen }) => pair.isMatch && !isAmongTen);
  const wrong = tried.filter(({ pair, isFound }) => !pair.isMatch && isFound);
  expect(queries(missed)).toEqual(Object.keys(MISSED).sort());
  expect(queries(wrong)).toEqual(Object.keys(FALSE).sort());
});
