import { describe, expect, it } from 'vitest';
import { catalogQuery } from './track-question.ts';

const ID = '6F2C1C52-7A4B-5D0E-9B61-2F0A3C7D8E11';

describe('catalogQuery', () => {
  it('restricts nothing when nothing is given', () => {
    expect(catalogQuery({})).toEqual({});
  });

  it('takes an empty text and empty lists for not given', () => {
    expect(catalogQuery({ text: '', filterIds: [], filterSlugs: [] })).toEqual({});
  });

  it('keeps a text of blanks: it is for the index to say what it matches', () => {
    expect(catalogQuery({ text: ' ' })).toEqual({ text: ' ' });
  });

  it('compares ids without case and drops duplicates', () => {
    expect(
      catalogQuery({ filterIds: [ID, ID.toLowerCase()], filterSlugs: ['calm', 'calm'] }),
    ).toEqual({ filterIds: [ID.toLowerCase()], filterSlugs: ['calm'] });
  });

  it('keeps a flag that is false', () => {
    expect(catalogQuery({ hasVocals: false })).toEqual({ hasVocals: false });
  });

  it('writes an ISRC in its stored form', () => {
    expect(catalogQuery({ isrc: 'gb-ayE-06-01498' })).toEqual({ isrc: 'GBAYE0601498' });
  });
});
