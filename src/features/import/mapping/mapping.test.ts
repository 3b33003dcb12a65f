import { describe, expect, it } from 'vitest';
import { compileMapping } from './compile.ts';
import type { Mapping, MappingRule } from './mapping.ts';
import { parseMapping } from './parse-mapping.ts';
import { compileRule, NO_LOOKUPS } from './rule.ts';

function mapped(mapping: Partial<Mapping>, record: object): Record<string, unknown> {
  const text = JSON.stringify({ name: 'test', fields: {}, ...mapping });
  return compileMapping(parseMapping(text, 'test.json')).toRecord(record);
}

describe('a rule', () => {
  const apply = (rule: MappingRule, value: unknown) =>
    compileRule(
      typeof rule === 'object' && !Array.isArray(rule) && !('constant' in rule)
        ? { from: 'it', ...rule }
        : rule,
      NO_LOOKUPS,
    )({ it: value });

  it.each<[string, MappingRule, unknown, unknown]>([
    ['reads a nested member', { from: 'it.a.b' }, { a: { b: 7 } }, 7],
    [
      'finds nothing if a member on the path is not an object',
      { from: 'it.a.b' },
      { a: 'text' },
      undefined,
    ],
    ['sets a constant', { constant: 'music' }, 'whatever', 'music'],
    ['uses the default for a blank value', { default: 'none' }, '  ', 'none'],
    ['uses the first of several rules that finds a value', ['nothing', 'it'], 'here', 'here'],
    ['decodes JSON', { decode: 'json' }, '["a"]', ['a']],
    [
      'picks a member of each entry of a list',
      { pick: 'title' },
      [{ title: 'a' }, { other: 1 }],
      ['a'],
    ],
    ['splits', { split: ',' }, 'a, b,,c', ['a', 'b', '', 'c']],
    ['splits at the first sign of several', { split: [';', ','] }, 'a, b; c', ['a, b', 'c']],
    ['splits at the only sign of several', { split: [';', ','] }, 'a, b', ['a', 'b']],
    ['splits a text without a sign', { split: [';', ','] }, 'a', ['a']],
    ['returns the text after a prefix', { after: 'isrc:' }, 'isrc:X', 'X'],
    ['returns nothing if the prefix is missing', { after: 'isrc:' }, 'X', undefined],
    ['returns nothing if the pattern does not match', { matches: '^[0-9]+$' }, 'x1', undefined],
    ['strips a prefix', { strip: 'The ' }, 'The End', 'End'],
    ['adds a prefix, also to numbers', { prefix: 'fma:' }, 2, 'fma:2'],
    ['translates without regard to case', { values: { Song: 'music' } }, 'SONG', 'music'],
    ['keeps words without a translation', { values: { Song: 'music' } }, 'sfx', 'sfx'],
    ['translates all others', { values: { '*': 'sfx' } }, 'Effect', 'sfx'],
    ['drops a word', { values: { unknown: null } }, ['a', 'Unknown'], ['a']],
    ['translates true and false', { values: { true: false } }, true, false],
    ['keeps only the listed words', { only: ['Live'] }, ['live', 'Rock'], ['live']],
    ['drops the listed words', { except: ['Live'] }, ['live', 'Rock'], ['Rock']],
    [
      'reads a date in the given form',
      { form: 'DD/MM/YYYY' },
      '26/11/2008',
      '2008-11-26T00:00:00.000Z',
    ],
    [
      'tries several forms',
      { form: ['DD/MM/YYYY', 'MM-YYYY'] },
      '11-2008',
      '2008-11-01T00:00:00.000Z',
    ],
    ['keeps a date in another form', { form: 'DD/MM/YYYY' }, '2008', '2008'],
    ['converts milliseconds', { unit: 'milliseconds' }, '335960', 335.96],
    ['reads hours, minutes and seconds', { unit: 'clock' }, '1:02:03', 3723],
    ['reads minutes and seconds', { unit: 'clock' }, '3:45', 225],
    ['keeps a text that is not a clock time', { unit: 'clock' }, 'long', 'long'],
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
  ])('throws if it cannot decode a value: %j', (rule, it, reason) => {
    expect(() => compileRule(rule, NO_LOOKUPS)({ it })).toThrow(reason);
  });

  it('reads own members only', () => {
    expect(compileRule('constructor', NO_LOOKUPS)({})).toBeUndefined();
    expect(compileRule('a.__proto__.b', NO_LOOKUPS)({ a: {} })).toBeUndefined();
  });
});

describe('a mapping', () => {
  it('produces credits from columns and from lists, and translates roles', () => {
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

  it('reads what the societies need to know of writers', () => {
    const artists = [
      { each: 'people', name: 'who', ipi: 'cae', society: 'pro', sharePercent: 'split' },
    ];
    const fields = { iswc: 'work' };
    const people = [{ who: 'A', cae: '14107338', pro: 'GEMA', split: 50 }, { who: 'B' }];
    expect(mapped({ fields, artists }, { work: 'T0345246801', people })).toMatchObject({
      iswc: 'T0345246801',
      artists: [{ name: 'A', ipi: '14107338', society: 'GEMA', sharePercent: 50 }, { name: 'B' }],
    });
  });

  it('produces filters and tags from one value or several', () => {
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
    ['{"name":"x","fields":{},"filters":[{"type":"color","from":"c"}]}', 'filters.0.type'],
    ['{"name":"x","fields":{},"encoding":"latin-99"}', 'unknown encoding, "latin-99"'],
  ])('is refused with its problem: %s', (text, reason) => {
    expect(() => parseMapping(text, 'm.json')).toThrow(reason);
  });

  it.each([
    [
      '{"name":"x","fields":{"name":{"default":"y"}}}',
      'fields.name: a rule needs `from`, `constant` or `join`',
    ],
    ['{"name":"x","fields":{"releaseDate":{"from":"d","form":"MM/DD"}}}', 'names no year'],
    ['{"name":"x","fields":{"name":{"from":"d","matches":"("}}}', 'fields.name: '],
    [
      '{"name":"x","fields":{"name":{"from":"d","matches":"(?=a)b"}}}',
      'fields.name: the pattern "(?=a)b" is not valid in RE2 syntax: ',
    ],
    ['{"name":"x","fields":{"releaseDate":{"from":"d","form":"D Mon YY"}}}', 'the letters "on"'],
  ])('with an invalid rule is refused: %s', (text, reason) => {
    expect(() => compileMapping(parseMapping(text, 'm.json'))).toThrow(reason);
  });

  it('counts the records in its form and those in another form', () => {
    const mapping = compileMapping(
      parseMapping(
        '{"name":"x","fields":{},"recognize":{"formats":["csv"],"all":["a"],"any":["b.c","d"],"none":["e.0"]}}',
        'm.json',
      ),
    );
    expect(mapping.likeness('csv', [{ a: 1, b: { c: 1 } }, { z: 1 }])).toBe(1);
    expect(mapping.likeness('csv', [{ a: 1, d: 1 }, { a: 1 }, { a: 1, d: 1 }])).toBe(2);
    expect(mapping.likeness('json', [{ a: 1, d: 1 }])).toBe(0);
    expect(mapping.likeness('csv', [{ a: 1 }])).toBe(0);
    expect(mapping.likeness('csv', [{ d: 1 }])).toBe(0);
    expect(mapping.likeness('csv', [{ a: 1, d: 1, e: ['x'] }])).toBe(0);
    expect(
      mapping.likeness('csv', [
        { a: 1, d: 1 },
        { a: 1, d: 1, e: ['x'] },
      ]),
    ).toBe(0);
    expect(mapping.likeness('csv', [])).toBe(0);
  });

  it('prefers a member whose name contains a dot to a nested member', () => {
    expect(mapped({ fields: { name: 'a.b' } }, { 'a.b': 'x', a: { b: 'y' } })).toEqual({
      name: 'x',
    });
    expect(mapped({ fields: { name: 'a.b.c' } }, { 'a.b.c': 'x' })).toEqual({ name: 'x' });
    expect(mapped({ fields: { name: 'a.b' } }, { a: { b: 'y' } })).toEqual({ name: 'y' });
  });

  it('matches every pattern in time linear in the text', () => {
    const matches = (pattern: string, text: string) =>
      mapped({ fields: { name: { from: 'it', matches: pattern } } }, { it: text }).name;
    const startedAt = performance.now();
    for (const pattern of ['^(a+)+$', '(a|aa)+$', '^(a?){50}a{50}$', '(.*)(.*)(.*)(.*)(.*)x']) {
      expect(matches(pattern, `${'a'.repeat(100_000)}!`)).toBeUndefined();
    }
    // A pattern with backtracking would take far longer.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(matches('^(a+)+$', 'aaa')).toBe('aaa');
    expect(matches('(?i)^live', 'LIVE at home')).toBe('LIVE at home');
  });

  it('limits the parts into which a text is split', () => {
    const rule = { name: { from: 'it', split: ',' } };
    expect(() => mapped({ fields: rule }, { it: ','.repeat(1_000_000) })).toThrow(
      'is cut into more than 10000 parts by ","',
    );
  });
});
