import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHIPPED_MAPPINGS } from './load.ts';
import { parsePythonLiteral, repaired } from './texts.ts';

describe('the shipped mappings', () => {
  const dump = {
    externalId: 'isrc:USUAN1100001',
    type: 'music',
    name: 'C-Funk',
    artists: [{ name: 'Kevin MacLeod', role: 'artist', isPrimary: true }],
    key: 'C major',
    instrumental: true,
    tags: {
      genre: ['Funk'],
      style: ['Ambient', 'Live'],
      mood: ['Grooving'],
      instrument: ['Bass'],
      category: ['Animals'],
      tag: ['Dog'],
    },
  };

  it('distinguish catalog dumps from records in Stave’s own form', () => {
    const find = (format: string, ...records: object[]) =>
      SHIPPED_MAPPINGS.find((mapping) => mapping.likeness(format, records) > 0)?.name;
    const own = { externalId: '1', type: 'music', name: 'N' };
    expect(find('ndjson', dump)).toBe('catalog-dump');
    expect(find('ndjson', { ...own, tags: ['a'], album: 'x' })).toBeUndefined();
    expect(find('ndjson', { ...own, filters: [], album: 'x' })).toBeUndefined();
    expect(find('csv', { ...own, album: 'x' })).toBeUndefined();
    expect(
      find('csv', { track_id: '1', track_title: 'N', track_duration: '1', artist_name: 'A' }),
    ).toBe('fma-tracks');
    // The supplier's words for roles are sufficient, and a few records of another form do not change the
    // result.
    const role = (word: string) => ({ ...own, artists: [{ name: 'A', role: word }] });
    expect(find('ndjson', own, own, role('artist'))).toBe('catalog-dump');
    expect(find('ndjson', own, role('MAIN_ARTIST'), role('COMPOSER'))).toBeUndefined();
    expect(find('ndjson', dump, dump, { ...own, filters: [] })).toBe('catalog-dump');
    expect(find('ndjson', { externalId: '1', licence: 'CC0' }, dump)).toBe('catalog-dump');
  });

  it('convert each part of a catalog dump', () => {
    const mapping = SHIPPED_MAPPINGS.find(({ name }) => name === 'catalog-dump')!;
    expect(mapping.toRecord(dump)).toMatchObject({
      isrc: 'USUAN1100001',
      songKey: 'C major',
      hasVocals: false,
      artists: [{ name: 'Kevin MacLeod', role: 'MAIN_ARTIST', isPrimary: true }],
      filters: [
        { type: 'genre', name: 'Funk' },
        { type: 'genre', name: 'Ambient' },
        { type: 'genre', name: 'Animals' },
        { type: 'mood', name: 'Grooving' },
      ],
      tags: ['Live', 'Bass', 'Dog'],
    });
  });
});

describe('parsePythonLiteral', () => {
  it('reads what str() writes', () => {
    const text = `[{'id': '21', "it's": None, 'n': -1.5e3, 'ok': True}, ('a', "b\\'c\\n\\xe9\\u2603"), [], {}]`;
    expect(JSON.parse(JSON.stringify(parsePythonLiteral(text)))).toEqual([
      { id: '21', "it's": null, n: -1500, ok: true },
      ['a', "b'c\né☃"],
      [],
      {},
    ]);
  });

  it.each([
    '',
    '[1',
    "['a",
    '[1 2]',
    "{'a' 1}",
    '__import__("os")',
    '[1] x',
    'open',
    "'\\xzz'",
    '['.repeat(50),
  ])('refuses %j', (text) => {
    expect(() => parsePythonLiteral(text)).toThrow(/at character/);
  });

  it('only throws, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[](){},:\'"\\ aTNx1.-') }), (text) => {
        try {
          parsePythonLiteral(text);
        } catch (error) {
          expect((error as Error).message).toMatch(/at character \d+$/);
        }
      }),
    );
  });
});

describe('repaired', () => {
  it.each<[string, Parameters<typeof repaired>[1], string]>([
    ['SeÃ±or', 'double-utf8', 'Señor'],
    ['Donâ€™t', 'double-utf8', 'Don’t'],
    ['Señor', 'double-utf8', 'Señor'],
    ['日本', 'double-utf8', '日本'],
    ['Rock &amp; Roll &#233; &#x263A; &nope; &#0;', 'html-entities', 'Rock & Roll é ☺ &nope; &#0;'],
    ['<font color="red">Red</font> a < b', 'html-tags', 'Red a < b'],
    [' a \n b ', 'spaces', 'a b'],
  ])('turns %j by %s into %j', (text, repair, expected) => {
    expect(repaired(text, repair)).toBe(expected);
  });
});
