import { describe, expect, it } from 'vitest';
import { NOW, sourceOf } from './briefs.test-support.ts';
import { Briefs } from './briefs.ts';
import { termsOf } from './meant-terms.ts';
import { parseSynonyms, Synonyms } from './synonyms.ts';
import { isEnglish } from './words.ts';

describe('an English model', () => {
  it('compares with no synonyms in other languages', () => {
    const read = parseSynonyms('term,names\nquiet|hush||leise|ruhig,calm');
    const synonyms = new Synonyms('synonyms' in read ? read.synonyms : []);
    const source = sourceOf({ filters: ['mood:Calm'] });
    expect(termsOf(source, synonyms, true).terms).toEqual(['calm', 'quiet', 'hush']);
    expect(termsOf(source, synonyms, false).terms).toEqual([
      ...['calm', 'quiet', 'hush', 'leise', 'ruhig'],
    ]);
  });

  it.each([
    ['a detective in an empty house', true],
    ['an der Tür', false],
    ['verres tintent', undefined],
    ['âgé', false],
    ['reconoce a su hermano', false],
    ['', undefined],
  ])('whether “%s” is English: %s', (text, expected) => {
    expect(isEnglish(text)).toBe(expected);
  });
});

it('a phrase does not mean the filter whose name is a soft word in it', async () => {
  const vocabulary = sourceOf({ filters: ['genre:House', 'mood:Sad'] });
  const near = [
    { term: 'house', similarity: 0.7 },
    { term: 'sad', similarity: 0.6 },
  ];
  const briefs = new Briefs({
    catalog: { vocabulary, version: 1 },
    synonyms: { current: new Synonyms([]), version: 1 },
    meanings: {
      isEnglish: true,
      prepare: async () => {},
      near: async (phrases) => ({ state: 'local', near: phrases.map(() => near) }),
    },
  });
  const { understood } = await briefs.read('an empty house', { now: NOW });
  const parts = understood.map(({ kind, filter, value, weight }) => [
    kind,
    filter ?? value,
    weight,
  ]);
  expect(parts).toEqual([
    ['word', 'house', 0.3],
    ['filter', 'sad', 0.6],
  ]);
});
