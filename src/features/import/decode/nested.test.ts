import { describe, expect, it } from 'vitest';
import { all, pieces, problems } from '../../../../test/harness/decoding.ts';
import { textDecoding } from './bytes.ts';
import type { Decoded } from './decoded.ts';
import { decodeJsonDocument } from './json-document.ts';
import { decodeNdjson } from './json-record.ts';
import { isRecordsPath, keyOf, nestedRecords, parentOf, parseRecordsPath } from './nested.ts';

const utf8 = textDecoding(undefined);

/** The values of the records, without their places. */
const values = (found: readonly Decoded[]) =>
  found.flatMap(({ value }) => (value === undefined ? [] : [JSON.parse(JSON.stringify(value))]));

const decode = (document: unknown, path: string, size = 7) => {
  const { outer, inner } = parseRecordsPath(path);
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return all(nestedRecords(decodeJsonDocument(pieces(text, size), utf8, outer!), inner, true));
};

describe('the path of records', () => {
  it.each([
    ['data.tracks', { outer: [['data', 'tracks'], 'list'], inner: [], ofLine: [] }],
    ['tracks{}', { outer: [['tracks'], 'object'], inner: [], ofLine: [[['tracks'], 'object']] }],
    [
      'data.releases[].tracks{}',
      {
        outer: [['data', 'releases'], 'list'],
        inner: [[['tracks'], 'object']],
        ofLine: [
          [['data', 'releases'], 'list'],
          [['tracks'], 'object'],
        ],
      },
    ],
    ['r[].tracks', { outer: [['r'], 'list'], inner: [[['tracks'], 'list']], ofLine: null }],
    ['[].tracks[]', { outer: [[], 'list'], inner: [[['tracks'], 'list']], ofLine: null }],
    ['{}', { outer: [[], 'object'], inner: [], ofLine: [] }],
    ['$', { outer: null, inner: [], ofLine: [] }],
    ['$.a.tracks[]', { outer: null, inner: [[['a', 'tracks'], 'list']], ofLine: null }],
    ['$.tracks', { outer: null, inner: [[['tracks'], 'list']], ofLine: null }],
  ])('%s is read level by level', (path, expected) => {
    const level = (one: { names: readonly string[]; holds: string }) => [one.names, one.holds];
    const { outer, inner, ofLine } = parseRecordsPath(path);
    expect(isRecordsPath(path)).toBe(true);
    expect({
      outer: outer && level(outer),
      inner: inner.map(level),
      ofLine: expected.ofLine === null ? null : ofLine.map(level),
    }).toEqual(expected);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', 'a[', 'a[0]', 'a[]b', 'a[].', 'a}', '[{}]', 'a[][]x'])(
    '%j is none',
    (path) => {
      expect(isRecordsPath(path)).toBe(false);
    },
  );

  it('is checked in time linear in its length', () => {
    const startedAt = performance.now();
    expect(isRecordsPath(`${'a.b[].'.repeat(160)}]`)).toBe(false);
    expect(isRecordsPath('a[].'.repeat(1_000_000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('nested records', () => {
  const releases = [
    { title: 'A', tracks: [{ n: 1 }, { n: 2 }] },
    { title: 'B', tracks: [] },
    { title: 'C', tracks: [{ n: 3 }] },
  ];

  it('know their parents and their places', async () => {
    const found = await decode({ x: 1, releases }, 'releases[].tracks[]');
    expect(values(found)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(found.map(({ position }) => position)).toEqual([1, 2, 3]);
    const last = found[2]!.value as object;
    expect(parentOf(last)).toMatchObject({ title: 'C' });
    expect(keyOf(last)).toBe(1);
    expect(keyOf(found[1]!.value as object)).toBe(2);
    expect(Object.keys(last)).toEqual(['n']);
  });

  it.each([1, 5, 1000])('are the members of an object, in chunks of %i bytes', async (size) => {
    const text =
      '{"n": {"17": {}}, "tracks" : { "17" : {"a": "}"},\n"b\\"c:" :{"a":[{}]}, "é":{"a":3} }, "x": [1]}';
    const found = await decode(text, 'tracks{}', size);
    expect(values(found)).toEqual([{ a: '}' }, { a: [{}] }, { a: 3 }]);
    expect(found.map(({ value }) => keyOf(value as object))).toEqual(['17', 'b"c:', 'é']);
  });

  it('are in objects of objects', async () => {
    const document = { 1: { t: { x: { n: 1 }, y: { n: 2 } } }, 2: { t: {} } };
    const found = await decode(document, '{}.t{}');
    expect(found.map(({ value }) => keyOf(value as object))).toEqual(['x', 'y']);
    expect(keyOf(parentOf(found[0]!.value as object)!)).toBe('1');
  });

  it('are in lines of NDJSON', async () => {
    const lines = decodeNdjson(pieces('{"t":[{"n":1},{"n":2}]}\n{"t":[7]}\n'), utf8);
    const found = await all(nestedRecords(lines, parseRecordsPath('$.t[]').ofLine, false));
    expect(values(found)).toEqual([{ n: 1 }, { n: 2 }, 7]);
    expect(found.map(({ position }) => position)).toEqual([1, 1, 2]);
  });

  it('are rejected where a list is missing or no list', async () => {
    const wrong = [{ t: null }, {}, { t: {} }, 7, { t: [{}] }];
    expect(problems(await decode({ r: wrong }, 'r[].t[]'))).toEqual(
      [1, 2, 3, 4].map((position) => [position, 'has no list "t"']),
    );
    expect(problems(await decode({ r: [{ t: [] }] }, 'r[].t{}'))).toEqual([
      [1, 'has no object of records "t"'],
    ]);
  });

  it('are rejected one by one if they are not valid', async () => {
    const text = '{"t":{"a":{"n":1},"b":{n},"c"{},7,"d":{"n":4}}}';
    const found = await decode(text, 't{}');
    expect(values(found)).toEqual([{ n: 1 }, { n: 4 }]);
    expect(problems(found)).toMatchObject([
      [2, expect.stringContaining('not valid JSON')],
      [3, 'not valid JSON: a record without a key'],
      [4, 'not valid JSON: a record without a key'],
    ]);
  });

  it('end with a document that breaks off', async () => {
    await expect(decode('{"t":{"a":{"n":1},"b":', 't{}')).rejects.toThrow(
      'ends inside its list of records',
    );
  });
});
