import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, pieces, problems, values } from '../../../../test/harness/decoding.ts';
import { textDecoding } from './bytes.ts';
import { type DocumentLists, decodeJsonDocument } from './json-document.ts';
import { decodeJsonRecord, decodeNdjson } from './json-record.ts';

const utf8 = textDecoding(undefined);

describe('decodeNdjson', () => {
  it('reads one record per line, with any line ending, and skips blank lines', async () => {
    const found = await all(decodeNdjson(pieces('{"a":1}\r\n\n  \n{"b":"é"}'), utf8));
    expect(values(found)).toEqual([{ a: 1 }, { b: 'é' }]);
    expect(found.map(({ position }) => position)).toEqual([1, 4]);
  });

  it('gives the same records for any chunks', async () => {
    const lines = fc.array(fc.json(), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 64 }), async (records, size) => {
        const text = records.map((json) => JSON.stringify(JSON.parse(json))).join('\n');
        const found = await all(decodeNdjson(pieces(text, size), utf8));
        expect(values(found)).toEqual(records.map((json) => JSON.parse(json)));
      }),
    );
  });

  it('rejects an invalid line and continues', async () => {
    const text = '{"a":1}\n{"b":\nnonsense\n{"c":3}\n';
    const found = await all(decodeNdjson(pieces(text), utf8));
    expect(problems(found)).toEqual([
      [2, 'not valid JSON: Unexpected end of JSON input'],
      [3, expect.stringMatching(/^not valid JSON: Unexpected token 'o'$/)],
    ]);
    expect(found.at(-1)).toMatchObject({ position: 4, value: { c: 3 } });
  });

  it('names the first byte of a line that is not UTF-8', async () => {
    const line = Buffer.concat([Buffer.from('{"a":"é�'), Buffer.from([0x80]), Buffer.from('"}\n')]);
    const found = await all(decodeNdjson(pieces(line), utf8));
    expect(problems(found)).toEqual([
      [1, 'the line is not valid UTF-8 (byte 0x80 at position 12)'],
    ]);
  });

  it('reads a line that is not UTF-8 in the encoding that the mapping names', async () => {
    const both = Buffer.concat([
      Buffer.from('{"a":"caf\xe9"}\n', 'latin1'),
      Buffer.from('{"a":"café"}\n'),
    ]);
    const found = await all(decodeNdjson(pieces(both), textDecoding('windows-1252')));
    expect(values(found)).toEqual([{ a: 'café' }, { a: 'café' }]);
  });

  it.each([
    [
      'nested too deep',
      `[${'['.repeat(200)}1${']'.repeat(200)}]`,
      'is nested more than 100 levels deep',
    ],
    ['of too many values', `[${'[],'.repeat(60_000)}1]`, 'holds more than 50000 values'],
  ])('rejects a record %s, and continues', async (_, list, reason) => {
    const text = `{"a":${list}}\n{"b":${JSON.stringify(list)},"c":"\\\\"}\n`;
    const found = await all(decodeNdjson(pieces(text, 65_536), utf8));
    expect(problems(found)).toEqual([[1, reason]]);
    expect(found[1]!.value).toEqual({ b: list, c: '\\' });
  });

  it('rejects a line that is too long without parsing it, and continues', async () => {
    const long = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    const found = await all(decodeNdjson(pieces(`${long}\n{"a":1}\n${long}`, 65_536), utf8));
    expect(problems(found)).toEqual([
      [1, 'the line is longer than 1024 KiB'],
      [3, 'the line is longer than 1024 KiB'],
    ]);
    expect(found[1]).toMatchObject({ position: 2, value: { a: 1 } });
  });

  it('stops at an endless line', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 120);
    let given = 0;
    async function* endless() {
      for (; given < 100; given++) {
        yield chunk;
      }
    }
    await expect(all(decodeNdjson(endless(), utf8))).rejects.toThrow('more than 64 MiB');
    expect(given).toBeLessThan(70);
  });
});

const wanted = (path: string | undefined) =>
  path === undefined ? undefined : { names: path.split('.'), holds: 'list' as const };

describe('decodeJsonDocument', () => {
  const decode = (text: string, path?: string, size = 7) =>
    all(decodeJsonDocument(pieces(text, size), utf8, wanted(path)));

  it.each([
    ['an array', '[{"a":1},{"b":[2,{"c":"]}"}]}]'],
    [
      'an object that contains an array',
      '{"total":2,"tracks":[{"a":1},{"b":[2,{"c":"]}"}]}],"more":{}}',
    ],
    ['nested objects', '{"meta":{"ids":[1,2]},"data":{"items":[{"a":1},{"b":[2,{"c":"]}"}]}]}}'],
    ['an array with white space everywhere', ' \n[ {"a" : 1} ,\n\t{ "b":[2,{"c":"]}"}] }\n]\n '],
  ])('finds the records of %s', async (_, text) => {
    const found = await decode(text);
    expect(values(found)).toEqual([{ a: 1 }, { b: [2, { c: ']}' }] }]);
    expect(found.map(({ position }) => position)).toEqual([1, 2]);
  });

  it('reports which list it read and which it ignored', async () => {
    const lists = async (text: string, path?: string) => {
      const lists: DocumentLists = { read: undefined, passedOver: [] };
      await all(decodeJsonDocument(pieces(text), utf8, wanted(path), lists));
      return lists;
    };
    const text =
      '{"page":{"tags":["x"]},"data":{"tracks":[{"a":[{}]},{"a":2}],"n":[1]},"albums":[{"b":[{}]}],"x":[{}]}';
    expect(await lists(text)).toEqual({ read: 'data.tracks', passedOver: ['albums', 'x'] });
    expect(await lists(text, 'albums')).toEqual({ read: 'albums', passedOver: [] });
    expect(await lists('[{"a":1}]')).toEqual({ read: '', passedOver: [] });
  });

  it('reads a document that is one record, unless it is too long', async () => {
    const text = '{\n  "name": "x",\n  "artists": [{"name": "y"}]\n}\n';
    expect(await all(decodeJsonRecord(pieces(text), utf8))).toMatchObject([
      { position: 1, value: { name: 'x', artists: [{ name: 'y' }] } },
    ]);
    const long = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    expect(problems(await all(decodeJsonRecord(pieces(long, 65_536), utf8)))).toEqual([
      [1, 'longer than 1024 KiB'],
    ]);
  });

  it('yields batches of at most about a megabyte', async () => {
    const record = `{"x":[${'{},'.repeat(20_000)}1]}`;
    const text = Array.from({ length: 12 }, () => record);
    for (const batches of [
      decodeNdjson(pieces(text.join('\n'), 65_536), utf8),
      decodeJsonDocument(pieces(`[${text.join()}]`, 65_536), utf8),
    ]) {
      const sizes: number[] = [];
      for await (const batch of batches) {
        sizes.push(batch.length);
      }
      expect(sizes).toEqual([2, 2, 2, 2, 2, 2]);
    }
  });

  it('reads the list that the mapping names', async () => {
    const text = '{"albums":[{"no":1}],"data":{"tracks":[{"a":1}]}}';
    expect(values(await decode(text, 'data.tracks'))).toEqual([{ a: 1 }]);
    expect(values(await decode(text))).toEqual([{ no: 1 }]);
  });

  it('reads any array of JSON values, with any white space and chunks', async () => {
    const lists = fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.constantFrom(0, 2),
        fc.integer({ min: 1, max: 50 }),
        async (list, indent, size) => {
          const found = await decode(JSON.stringify(list, null, indent), undefined, size);
          expect(values(found)).toEqual(JSON.parse(JSON.stringify(list)));
        },
      ),
    );
  });

  it('rejects a broken record and continues', async () => {
    const found = await decode('[{"a":1},{"a":nope},,{"a":2}]');
    expect(problems(found).map(([position]) => position)).toEqual([2, 3]);
    expect(found.at(-1)).toMatchObject({ position: 4, value: { a: 2 } });
  });

  it.each([
    ['[{"a":1},{"b":', 'ends inside its list of records'],
    ['{"tracks":[{"a":1}]', 'ends too early'],
    ['[{"a":1}] trailing', 'text after the end'],
    ['{"a":1]}', 'closes what was not opened'],
    [`{"a":${'['.repeat(2000)}`, 'nested more than 1000 deep'],
  ])('reports why the rest of %j cannot be read', async (text, reason) => {
    await expect(decode(text)).rejects.toThrow(reason);
  });

  it('finds no records in an empty document', async () => {
    expect(await decode('[]')).toEqual([]);
    expect(await decode('{"name":"N","artists":[{"name":"A"}]}')).toEqual([]);
    expect(await decode('{"a":{"b":[1,2]}}')).toEqual([]);
  });

  it('rejects a record that is too long without parsing it', async () => {
    const long = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    const found = await decode(`[{"a":1},${long},{"a":2}]`, undefined, 65_536);
    expect(problems(found)).toEqual([[2, 'longer than 1024 KiB']]);
    expect(found).toHaveLength(3);
  });
});
