import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, pieces, problems, values } from '../../../test/harness/decoding.ts';
import { decodeJsonDocument } from './json-document.ts';
import { decodeNdjson } from './ndjson.ts';
import { textDecoding } from './text-decoding.ts';

const utf8 = textDecoding(undefined);

describe('decodeNdjson', () => {
  it('reads a record a line, whatever the line ends with, and passes blank lines over', async () => {
    const found = await all(decodeNdjson(pieces('{"a":1}\r\n\n  \n{"b":"é"}'), utf8));
    expect(values(found)).toEqual([{ a: 1 }, { b: 'é' }]);
    expect(found.map(({ position }) => position)).toEqual([1, 4]);
  });

  it('gives the same records however the bytes are cut', async () => {
    const lines = fc.array(fc.json(), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 64 }), async (records, size) => {
        const text = records.map((json) => JSON.stringify(JSON.parse(json))).join('\n');
        const found = await all(decodeNdjson(pieces(text, size), utf8));
        expect(values(found)).toEqual(records.map((json) => JSON.parse(json)));
      }),
    );
  });

  it('tells a bad line and goes on', async () => {
    const text = '{"a":1}\n{"b":\nnonsense\n{"c":3}\n';
    const found = await all(decodeNdjson(pieces(text), utf8));
    expect(problems(found)).toEqual([
      [2, 'not valid JSON: Unexpected end of JSON input'],
      [3, expect.stringMatching(/^not valid JSON: Unexpected token 'o'$/)],
    ]);
    expect(found.at(-1)).toMatchObject({ position: 4, value: { c: 3 } });
  });

  it('tells where a line stops being UTF-8', async () => {
    const line = Buffer.concat([Buffer.from('{"a":"é�'), Buffer.from([0x80]), Buffer.from('"}\n')]);
    const found = await all(decodeNdjson(pieces(line), utf8));
    expect(problems(found)).toEqual([
      [1, 'the line is not valid UTF-8 (byte 0x80 at position 12)'],
    ]);
  });

  it('reads what is not UTF-8 in the encoding that the mapping names', async () => {
    const both = Buffer.concat([
      Buffer.from('{"a":"caf\xe9"}\n', 'latin1'),
      Buffer.from('{"a":"café"}\n'),
    ]);
    const found = await all(decodeNdjson(pieces(both), textDecoding('windows-1252')));
    expect(values(found)).toEqual([{ a: 'café' }, { a: 'café' }]);
  });

  it('rejects a line that is too long, unread, and goes on', async () => {
    const long = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    const found = await all(decodeNdjson(pieces(`${long}\n{"a":1}\n${long}`, 65_536), utf8));
    expect(problems(found)).toEqual([
      [1, 'the line is longer than 1024 KiB'],
      [3, 'the line is longer than 1024 KiB'],
    ]);
    expect(found[1]).toMatchObject({ position: 2, value: { a: 1 } });
  });

  it('gives a file up that is one endless line', async () => {
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

describe('decodeJsonDocument', () => {
  const decode = (text: string, path?: string, size = 7) =>
    all(decodeJsonDocument(pieces(text, size), utf8, path));

  it.each([
    ['an array', '[{"a":1},{"b":[2,{"c":"]}"}]}]'],
    ['an object that holds one', '{"total":2,"tracks":[{"a":1},{"b":[2,{"c":"]}"}]}],"more":{}}'],
    [
      'objects in objects',
      '{"meta":{"ids":[1,2]},"data":{"items":[{"a":1},{"b":[2,{"c":"]}"}]}]}}',
    ],
    ['blanks everywhere', ' \n[ {"a" : 1} ,\n\t{ "b":[2,{"c":"]}"}] }\n]\n '],
  ])('finds the records of %s', async (_, text) => {
    const found = await decode(text);
    expect(values(found)).toEqual([{ a: 1 }, { b: [2, { c: ']}' }] }]);
    expect(found.map(({ position }) => position)).toEqual([1, 2]);
  });

  it('takes the list that the mapping names', async () => {
    const text = '{"albums":[{"no":1}],"data":{"tracks":[{"a":1}]}}';
    expect(values(await decode(text, 'data.tracks'))).toEqual([{ a: 1 }]);
    expect(values(await decode(text))).toEqual([{ no: 1 }]);
  });

  it('reads any array of JSON values, however it is spaced and cut', async () => {
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

  it('rejects a broken record and goes on', async () => {
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
  ])('says why the rest of %j cannot be read', async (text, reason) => {
    await expect(decode(text)).rejects.toThrow(reason);
  });

  it('finds nothing where there is nothing', async () => {
    expect(await decode('[]')).toEqual([]);
    expect(await decode('{"name":"N","artists":[{"name":"A"}]}')).toEqual([]);
    expect(await decode('{"a":{"b":[1,2]}}')).toEqual([]);
  });

  it('rejects a record that is too long, unread', async () => {
    const long = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    const found = await decode(`[{"a":1},${long},{"a":2}]`, undefined, 65_536);
    expect(problems(found)).toEqual([[2, 'longer than 1024 KiB']]);
    expect(found).toHaveLength(3);
  });
});
