import { describe, expect, it } from 'vitest';
import { setPlace } from '../decode/nested.ts';
import { compileMapping } from './compile.ts';
import type { Mapping, MappingRule } from './mapping.ts';
import { membersOf } from './members.ts';
import { parseMapping } from './parse-mapping.ts';
import { compileRule, NO_LOOKUPS } from './rule.ts';

const read = (rule: MappingRule, record: object) => compileRule(rule, NO_LOOKUPS)(record);

const compiled = (mapping: object) =>
  compileMapping(parseMapping(JSON.stringify({ name: 'x', fields: {}, ...mapping }), 'm.json'));
const mapped = (mapping: Partial<Mapping>, record: object) => compiled(mapping).toRecord(record);

describe('a name of a member', () => {
  it.each<[string, object, unknown]>([
    ['Label No.', { 'Label No.': 1 }, 1],
    ['Nr. (s. u.)', { 'Nr. (s. u.)': 1 }, 1],
    ['a.b.c', { a: { 'b.c': 1 } }, 1],
    ['a.b.c', { 'a.b': { c: 1 } }, 1],
    ['a.b.c', { 'a.b': { x: 2 }, a: { b: { c: 1 } } }, 1],
    ['.', { '.': 1 }, 1],
    ['a..b', { a: { '': { b: 1 } } }, 1],
    [' Title ', { Title: 1 }, 1],
    [' Title ', { ' Title ': 1, Title: 2 }, 1],
    ['Title', { ' Title ': 1 }, undefined],
    ['% #/\\"\n', { '% #/\\"\n': 1 }, 1],
    ['.'.repeat(40), { ['.'.repeat(40)]: 1 }, 1],
    ['Writer[2]', { 'Writer[2]': 1 }, 1],
    ['$key', { $key: 1 }, 1],
    ['$key', {}, undefined],
    ['$parent.a', {}, undefined],
    ['a.__proto__', { a: {} }, undefined],
  ])('%j is found in %j', (path, record, value) => {
    expect(read(path, record)).toBe(value);
  });

  it('reaches the parents and the key of a nested record', () => {
    const [track, disc, release] = [{ n: 1 }, { title: 'D' }, { title: 'R', $key: 'own' }];
    setPlace(track, disc, 2);
    setPlace(disc, release, 'first');
    expect(read('$key', track)).toBe(2);
    expect(read('$parent.title', track)).toBe('D');
    expect(read('$parent.$key', track)).toBe('first');
    expect(read('$parent.$parent.title', track)).toBe('R');
    expect(read('$parent.$parent.$key', track)).toBe('own');
    expect(read('$parent.$parent.$parent.title', track)).toBeUndefined();
  });
});

describe('join', () => {
  it.each<[string, MappingRule, object, unknown]>([
    ['joins members', { join: ['a', 'b'], separator: '-' }, { a: 'x', b: 2 }, 'x-2'],
    ['joins without a separator', { join: ['a', 'b'] }, { a: ' x ', b: 'y' }, 'xy'],
    [
      'joins the entries of a list',
      { join: ['a'], separator: ', ' },
      { a: ['x', '', 'y'] },
      'x, y',
    ],
    ['has no value without a part', { join: ['a', 'b'] }, { a: 'x', b: ' ' }, undefined],
    [
      'leaves out a part whose default is empty',
      { join: [{ from: 'a', default: '' }, 'b'], separator: ' ' },
      { b: 'y' },
      'y',
    ],
    [
      'applies the parts of its rules, and its own',
      { join: [{ from: 'a', extract: '([0-9]+)' }, { constant: 'c' }], prefix: 'p' },
      { a: 'No 7' },
      'p7c',
    ],
    ['ignores objects', { join: ['a', { from: 'b', default: '' }] }, { a: 'x', b: {} }, undefined],
    ['has its default', { join: ['a'], default: 'none' }, {}, 'none'],
  ])('%s', (_, rule, record, value) => {
    expect(read(rule, record)).toBe(value);
  });

  it('gives a text of at most 10,000 characters', () => {
    const rule: MappingRule = { join: ['a', 'a'] };
    expect(read(rule, { a: 'x'.repeat(5000) })).toHaveLength(10_000);
    expect(() => read(rule, { a: 'x'.repeat(5001) })).toThrow('more than 10000 characters');
  });
});

describe('a part of a rule', () => {
  it.each<[string, Exclude<MappingRule, string>, unknown, unknown]>([
    ['extracts a group', { extract: 'No\\.? ([0-9]+)' }, 'Track No. 17 of 20', '17'],
    ['extracts in any case', { extract: '(?i)cat:(\\w+)' }, 'CAT:abc', 'abc'],
    ['has no value if nothing matches', { extract: '([0-9]+)' }, 'none', undefined],
    ['has no value if the group takes no part', { extract: '^a|b(c)' }, 'a', undefined],
    ['extracts of each entry', { extract: '^(.)' }, ['ab', '', 'cd'], ['a', 'c']],
    ['strips the first of several prefixes', { strip: ['The ', 'A '] }, 'A Day', 'Day'],
    ['strips a suffix', { stripEnd: '.wav' }, 'x.wav', 'x'],
    ['strips the first of several suffixes', { stripEnd: [' (M)', ' (S)'] }, 'x (S)', 'x'],
    ['keeps a text without the suffix', { stripEnd: '.wav' }, 'x.mp3', 'x.mp3'],
    ['adds a suffix', { prefix: 'a/', suffix: '.wav' }, 7, 'a/7.wav'],
    ['reads a decimal comma', { decimal: ',' }, '1.234,5', '1234.5'],
    ['keeps a text that is no number', { decimal: ',' }, 'fast', 'fast'],
    ['keeps numbers', { decimal: ',' }, 1.5, 1.5],
    ['picks a nested member', { pick: 'a.b' }, [{ a: { b: 1 } }, { a: 2 }, 3], [1]],
    ['reads an ISO duration', { unit: 'clock' }, 'PT3M4S', 184],
    ['reads minutes and seconds with signs', { unit: 'clock' }, `3'04"`, 184],
    ['reads a serial date', { form: 'excel' }, '40757', '2011-08-02T00:00:00.000Z'],
    ['reads a serial date that is a number', { form: 'excel' }, 40757, '2011-08-02T00:00:00.000Z'],
    ['keeps a number that is no date', { form: 'DD/MM/YYYY' }, 2011, 2011],
    [
      'reads a full name of a month',
      { form: 'MMM D, YYYY' },
      'August 2, 2011',
      '2011-08-02T00:00:00.000Z',
    ],
    ['reads a date of digits alone', { form: 'YYYYMMDD' }, 20110802, '2011-08-02T00:00:00.000Z'],
    ['converts samples', { unit: 'samples', rate: 44100 }, '8114400', 184],
  ])('%s', (_, rule, value, expected) => {
    expect(read({ from: 'it', ...rule } as MappingRule, { it: value })).toEqual(expected);
  });

  it('reads the rate of samples from a member', () => {
    const rule: MappingRule = { from: 'n', unit: 'samples', rate: 'hz' };
    expect(read(rule, { n: 96_000, hz: '48000' })).toBe(2);
    expect(read(rule, { n: 'long', hz: 48_000 })).toBe('long');
    for (const hz of [undefined, 0, -1, 'fast', '', 1e12, Number.NaN]) {
      expect(() => read(rule, { n: 1, hz })).toThrow('the number of samples per second');
    }
  });

  it('names the members that it reads', () => {
    const rule: MappingRule = [
      { join: ['a', { from: 'b.c' }] },
      { from: 'n', unit: 'samples', rate: 'hz' },
      'd',
    ];
    expect(membersOf(rule)).toEqual(['a', 'b.c', 'n', 'hz', 'd']);
    const { named } = compiled({ fields: { name: rule } });
    expect(named.map(({ path }) => path)).toEqual(['a', 'b.c', 'n', 'hz', 'd']);
  });

  it.each<[object, string]>([
    [{ extract: '[0-9]+', from: 'a' }, 'has 0 groups in parentheses; it must have one'],
    [{ extract: '(a)(b)', from: 'a' }, 'has 2 groups in parentheses; it must have one'],
    [{ extract: '(?=a)(b)', from: 'a' }, 'is not valid in RE2 syntax'],
    [{ join: ['a', {}] }, 'join[1]: a rule needs `from`, `constant` or `join`'],
    [{ join: ['a'], from: 'b' }, 'a rule takes only one of `from` and `join`'],
    [{ constant: 1, from: 'b' }, 'a rule takes only one of `from` and `constant`'],
    [{ from: 'a', separator: '-' }, '`separator` needs `join`'],
    [{ from: 'a', monthLanguage: 'de' }, '`monthLanguage` needs `form`'],
    [{ from: 'a', form: 'D MMM YYYY', monthLanguage: 'xx' }, 'month names of "xx" are not known'],
    [{ from: 'a', form: 'D MMM YYYY', monthLanguage: '??' }, 'month names of "??" are not known'],
    [{ from: 'a', unit: 'samples' }, '`"unit": "samples"` and `rate` need each other'],
    [{ from: 'a', unit: 'clock', rate: 1 }, '`"unit": "samples"` and `rate` need each other'],
    [{ from: 'a', lookup: { file: 'f', key: 'k' } }, 'the side file f of `lookup` is not loaded'],
  ])('with a fault is refused with its place: %j', (rule, reason) => {
    expect(() => compiled({ fields: { slug: rule } })).toThrow(
      `the mapping x is not as it should be: fields.slug: `,
    );
    expect(() => compiled({ fields: { slug: rule } })).toThrow(reason);
  });

  it.each<[object, string]>([
    [{ join: [] }, 'fields.name.join'],
    [{ join: Array(21).fill('a') }, 'fields.name.join'],
    [{ join: [{ join: ['a'] }] }, 'fields.name.join.0.join is no member of it'],
    [{ from: 'a', rate: 0 }, 'fields.name.rate'],
    [{ from: 'a', decimal: ';' }, 'fields.name.decimal'],
    [{ from: 'a', stripEnd: [] }, 'fields.name.stripEnd'],
    [
      { from: 'a', stripend: 'x' },
      'fields.name.stripend is no member of it (did you mean stripEnd?)',
    ],
    [{ from: 'a', lookup: { file: 'f' } }, 'fields.name.lookup'],
    [{ from: 'a', lookup: { file: 'f', key: 'k', tak: 't' } }, 'did you mean take?'],
  ])('in a wrong form is refused with its place: %j', (rule, reason) => {
    expect(() => compiled({ fields: { name: rule } })).toThrow(reason);
  });
});

it('keeps the white space of a prefix or suffix in a joined text', () => {
  const rule: MappingRule = { join: [{ from: 'a', suffix: ' ' }, 'b', { from: 'b', prefix: ' ' }] };
  expect(read(rule, { a: 'ANN', b: ' WEIR ' })).toBe('ANN WEIR  WEIR ');
});

describe('a field with one value', () => {
  const isrc = (value: unknown, rule: MappingRule = 'r.isrcs') =>
    mapped({ fields: { isrc: rule, songKey: 'keys' } }, { r: { isrcs: value }, keys: ['A', 'B'] });

  it('takes a list of one, and the first of several if the rule says so', () => {
    expect(isrc(['X'])).toEqual({ isrc: 'X', songKey: ['A', 'B'] });
    expect(isrc([])).toEqual({ songKey: ['A', 'B'] });
    const first = { from: 'r.isrcs', first: true, prefix: 'p' };
    expect(isrc(['', 'X', 'Y'], first)).toMatchObject({ isrc: 'pX' });
    expect(isrc('X', first)).toMatchObject({ isrc: 'pX' });
  });

  it('refuses several values, and says what to write', () => {
    expect(() => isrc(['X', 'Y'])).toThrow(
      'takes one value, but the list has 2; write `"first": true` in the rule to take the first',
    );
    expect(() => isrc('X', { from: 'a', first: 1 } as unknown as MappingRule)).toThrow(
      'fields.isrc.first',
    );
  });
});

describe('flags', () => {
  it.each([
    ['Yes', true],
    ['TRUE', true],
    [1, true],
    ['n', false],
    [' No ', false],
    ['0', false],
    ['perhaps', 'perhaps'],
    [2, 2],
  ])('read %j', (value, expected) => {
    const fields = { hasVocals: 'v', isPRO: 'v' };
    const artists = [{ name: 'a', isPrimary: 'v' }];
    expect(mapped({ fields, artists }, { v: value, a: 'A' })).toMatchObject({
      hasVocals: expected,
      isPRO: expected,
      artists: [{ isPrimary: expected }],
    });
  });
});

describe('a mapping', () => {
  it.each<[object, string]>([
    [{ records: 'a[0]' }, 'records must be a path such as data.tracks'],
    [{ headingLine: 0 }, 'headingLine'],
    [{ headingLine: 1.5 }, 'headingLine'],
    [{ firstRecordLine: 3 }, 'firstRecordLine needs `headingLine`, and must be a line after it'],
    [{ headingLine: 3, firstRecordLine: 3 }, 'must be a line after it'],
    [{ firstRecordLine: 1001 }, 'firstRecordLine'],
    [{ lastColumnIsList: 'yes' }, 'lastColumnIsList'],
    [{ group: { rows: 'some' } }, 'group.rows'],
    [{ group: { rows: 'all' } }, 'group needs `by`, or a rule for fields.externalId'],
    [{ group: { rows: 'all', by: {} } }, 'group.by: a rule needs'],
    [{ group: { rows: 'all', row: 1 } }, 'group.row is no member of it (did you mean rows?)'],
    [{ availability: {} }, 'availability'],
    [{ availability: [] }, 'availability'],
    [
      { availability: [{ until: { from: 'a', form: 'x' } }] },
      'availability[0].until: the date form',
    ],
    [
      { availability: [{ unti: 'a' }] },
      'availability.0.unti is no member of it (did you mean until?)',
    ],
    [{ artists: [{ name: 'a', each: {} }] }, 'artists[0].each: a rule needs'],
    [{ fields: { availability: 'a' } }, 'fields.availability is no member of the import record'],
  ])('with a fault is refused with its place: %j', (mapping, reason) => {
    expect(() => compiled(mapping)).toThrow(reason);
  });
});
