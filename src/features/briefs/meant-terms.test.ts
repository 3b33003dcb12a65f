import { describe, expect, it } from 'vitest';
import { sourceOf } from './briefs.test-support.ts';
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
