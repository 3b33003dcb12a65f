import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMapping } from './compile.ts';
import { type Mapping, type MappingRule, parseMapping } from './mapping.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { repaired } from './repairs.ts';
import { compileRule } from './rule.ts';
import { SHIPPED_MAPPINGS } from './shipped.ts';

function mapped(mapping: Partial<Mapping>, record: object): Record<string, unknown> {
  const text = JSON.stringify({ name: 'test', fields: {}, ...mapping });
  return compileMapping(parseMapping(text, 'test.json')).toRecord(record);
}

describe('a rule', () => {
  const apply = (rule: MappingRule, value: unknown) =>
    compileRule(typeof rule === 'object' && !Array.isArray(rule) ? { from: 'it', ...rule } : rule)({
      it: value,
    });

  it.each<[string, MappingRule, unknown, unknown]>([
    ['takes a member of a member', { from: 'it.a.b' }, { a: { b: 7 } }, 7],
    ['finds nothing beside the way', { from: 'it.a.b' }, { a: 'text' }, undefined],
    ['sets a constant', { constant: 'music' }, 'whatever', 'music'],
    ['falls back on a default', { default: 'none' }, '  ', 'none'],
    ['takes the first of several that finds something', ['nothing', 'it'], 'here', 'here'],
    ['decodes JSON', { decode: 'json' }, '["a"]', ['a']],
    ['picks from each of a list', { pick: 'title' }, [{ title: 'a' }, { other: 1 }], ['a']],
    ['splits', { split: ',' }, 'a, b,,c', ['a', 'b', '', 'c']],
    ['takes what follows a beginning', { after: 'isrc:' }, 'isrc:X', 'X'],
    ['takes nothing without the beginning', { after: 'isrc:' }, 'X', undefined],
    ['takes only what matches', { matches: '^[0-9]+$' }, 'x1', undefined],
    ['strips a beginning where it is there', { strip: 'The ' }, 'The End', 'End'],
    ['puts a prefix in front, of numbers too', { prefix: 'fma:' }, 2, 'fma:2'],
    ['translates without regard to case', { values: { Song: 'music' } }, 'SONG', 'music'],
    ['lets other words pass', { values: { Song: 'music' } }, 'sfx', 'sfx'],
    ['translates all others', { values: { '*': 'sfx' } }, 'Effect', 'sfx'],
    ['drops a word', { values: { unknown: null } }, ['a', 'Unknown'], ['a']],
    ['translates true and false', { values: { true: false } }, true, false],
    ['takes only some words', { only: ['Live'] }, ['live', 'Rock'], ['live']],
    ['leaves some words out', { except: ['Live'] }, ['live', 'Rock'], ['Rock']],
    ['reads a date form', { form: 'DD/MM/YYYY' }, '26/11/2008', '2008-11-26T00:00:00.000Z'],
    [
      'tries several forms',
      { form: ['DD/MM/YYYY', 'MM-YYYY'] },
      '11-2008',
      '2008-11-01T00:00:00.000Z',
    ],
    ['leaves a date of no form', { form: 'DD/MM/YYYY' }, '2008', '2008'],
    ['counts milliseconds', { unit: 'milliseconds' }, '335960', 335.96],
    ['reads a clock', { unit: 'clock' }, '1:02:03', 3723],
    ['reads a short clock', { unit: 'clock' }, '3:45', 225],
    ['leaves what is no clock', { unit: 'clock' }, 'long', 'long'],
  ])('%s', (_, rule, value, expected) => {
    expect(apply(rule, value)).toEqual(expected);
  });

  it.each<[MappingRule, string, string]>([
    [{ from: 'it', decode: 'json' }, '[oops', 'must be JSON: '],
    [
      { from: 'it', decode: 'python-literal' },
      '[1 2]',
      'must be a Python literal: a comma is missing',
    ],
  ])('throws what it cannot decode: %j', (rule, it, reason) => {
    expect(() => compileRule(rule)({ it })).toThrow(reason);
  });

  it('reads own members only', () => {
    expect(compileRule('constructor')({})).toBeUndefined();
    expect(compileRule('a.__proto__.b')({ a: {} })).toBeUndefined();
  });
});

describe('a mapping', () => {
  it('makes credits of columns and of lists, with roles translated', () => {
    const roles = { writer: 'COMPOSER' };
    expect(
      mapped(
        { roles, artists: [{ each: 'people', name: 'who', role: 'job', externalId: 'no' }] },
        {
          people: [
            { who: 'A', job: 'Writer', no: 3 },
            { who: 'B', job: 'singer' },
          ],
        },
      ).artists,
    ).toMatchObject([
      { name: 'A', role: 'COMPOSER', externalId: 3 },
      { name: 'B', role: 'singer' },
    ]);
    expect(
      mapped(
        {
          artists: [
            { name: 'artist', isPrimary: { constant: true } },
            { name: { from: 'writers', split: '/' }, role: { constant: 'COMPOSER' } },
          ],
        },
        { artist: 'X', writers: 'Y/Z' },
      ).artists,
    ).toMatchObject([
      { name: 'X', isPrimary: true },
      { name: 'Y', role: 'COMPOSER' },
      { name: 'Z', role: 'COMPOSER' },
    ]);
  });

  it('makes filters and tags of one value or many', () => {
    expect(
      mapped(
        {
          filters: [
            { type: 'mood', from: 'moods' },
            { type: 'genre', from: 'genre' },
          ],
          tags: ['kind', 'more'],
        },
        { moods: ['Calm', ''], genre: 'Jazz', kind: 'Loop', more: ['x', 'y'] },
      ),
    ).toEqual({
      filters: [
        { type: 'mood', name: 'Calm' },
        { type: 'genre', name: 'Jazz' },
      ],
      tags: ['Loop', 'x', 'y'],
    });
  });

  it.each([
    ['{', 'is not valid JSON'],
    ['[]', 'the whole must be object'],
    ['{"name":"x"}', 'fields'],
    ['{"name":"X Y","fields":{}}', 'name must match pattern'],
    ['{"name":"x","fields":{},"role":{}}', 'role is no member of it (did you mean roles?)'],
    ['{"name":"x","fields":{"title":"t"}}', 'fields.title is no member of the import record'],
    ['{"name":"x","fields":{"nmae":"t"}}', 'did you mean name?'],
    ['{"name":"x","fields":{"name":{"form":"x","fro":"y"}}}', 'fields.name.fro is no member of it'],
    ['{"name":"x","fields":{},"filters":[{"type":"colour","from":"c"}]}', 'filters.0.type'],
    ['{"name":"x","fields":{},"encoding":"latin-99"}', 'unknown encoding, "latin-99"'],
  ])('is refused with its fault: %s', (text, reason) => {
    expect(() => parseMapping(text, 'm.json')).toThrow(reason);
  });

  it.each([
    [
      '{"name":"x","fields":{"name":{"default":"y"}}}',
      'fields.name: a rule needs `from` or `constant`',
    ],
    ['{"name":"x","fields":{"releaseDate":{"from":"d","form":"MM/DD"}}}', 'names no year'],
    ['{"name":"x","fields":{"name":{"from":"d","matches":"("}}}', 'fields.name: '],
  ])('whose rule cannot work is refused: %s', (text, reason) => {
    expect(() => compileMapping(parseMapping(text, 'm.json'))).toThrow(reason);
  });

  it('knows a shape by its first records, a few faulty ones among them', () => {
    const mapping = compileMapping(
      parseMapping(
        '{"name":"x","fields":{},"recognise":{"formats":["csv"],"all":["a"],"any":["b.c","d"],"none":["e.0"]}}',
        'm.json',
      ),
    );
    expect(mapping.recognises('csv', [{ a: 1, b: { c: 1 } }, { z: 1 }])).toBe(true);
    expect(mapping.recognises('json', [{ a: 1, d: 1 }])).toBe(false);
    expect(mapping.recognises('csv', [{ a: 1 }])).toBe(false);
    expect(mapping.recognises('csv', [{ d: 1 }])).toBe(false);
    expect(mapping.recognises('csv', [{ a: 1, d: 1, e: ['x'] }])).toBe(false);
    expect(mapping.recognises('csv', [])).toBe(false);
  });
});

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

  it('tell catalog dumps from records in Stave’s own form', () => {
    const find = (format: string, record: object) =>
      SHIPPED_MAPPINGS.find((mapping) => mapping.recognises(format, [record]))?.name;
    expect(find('ndjson', dump)).toBe('catalog-dump');
    expect(
      find('ndjson', { externalId: '1', type: 'music', name: 'N', tags: ['a'], album: 'x' }),
    ).toBeUndefined();
    expect(
      find('ndjson', { externalId: '1', type: 'music', name: 'N', filters: [], album: 'x' }),
    ).toBeUndefined();
    expect(find('csv', { externalId: '1', type: 'music', name: 'N', album: 'x' })).toBeUndefined();
    expect(
      find('csv', { track_id: '1', track_title: 'N', track_duration: '1', artist_name: 'A' }),
    ).toBe('fma-tracks');
  });

  it('turn each part of a catalog dump into what it is for', () => {
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

  it('never does more than throw, whatever it is given', () => {
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
