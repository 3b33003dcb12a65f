import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  HAS_SHARED_DATA,
  type ImportBench,
  openImportBench,
  SHARED_DATA,
} from '../../../test/harness/import-bench.ts';
import { ern43 } from './ddex/ern.test-support.ts';
import { explainImport } from './explain/explain.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const names = async () => (await bench.tracks()).map(({ name }) => name);

const MARK = '\ufeff';
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();

const SHEET = 'externalId\tname\ttype\nU-17\tCafé Été\tmusic\nU-4\tПривет 😀\tmusic\n';

describe('a file in UTF-16', () => {
  it.each([
    ['little-endian, with a mark', utf16le(MARK + SHEET), 'UTF-16LE'],
    ['big-endian, with a mark', utf16be(MARK + SHEET), 'UTF-16BE'],
    ['little-endian, without a mark', utf16le(SHEET), 'UTF-16LE'],
    ['big-endian, without a mark', utf16be(SHEET), 'UTF-16BE'],
    ['compressed', gzipSync(utf16le(MARK + SHEET)), 'UTF-16LE'],
  ])('is read: %s', async (_, bytes, encoding) => {
    const path = await bench.write('sheet.csv', bytes);
    const { summary, rejections } = await bench.run([path]);
    expect({ summary, rejections }).toEqual({ summary: counts(2), rejections: [] });
    expect(await names()).toEqual(['Café Été', 'Привет 😀']);
    const { facts } = await explainImport({ path, clock: bench.clock });
    expect(facts).toContainEqual({ what: 'encoding', is: encoding });
  });

  it('is read if it is longer than a part of the file that is read at once', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i}\tTrack 😀 ${i}\tmusic\n`);
    const path = await bench.write(
      'long.csv',
      utf16le(`${MARK}externalId\tname\ttype\n${rows.join('')}`),
    );
    expect((await bench.run([path], { dryRun: true })).summary).toEqual(counts(20_000));
  });

  it.each([
    ['a.ndjson', '{"externalId":"U-17","name":"Été","type":"music"}\n'],
    ['a.json', '{"tracks":[{"externalId":"U-17","name":"Été","type":"music"}]}'],
  ])('is read in %s', async (name, text) => {
    const path = await bench.write(name, utf16le(MARK + text));
    expect((await bench.run([path])).summary).toEqual(counts(1));
    expect(await names()).toEqual(['Été']);
  });

  it.each(['utf-16le', 'UTF-16'])(
    'is read by a mapping that names %s, also where few characters are Latin',
    async (encoding) => {
      const fields = { externalId: 'Код', name: 'Название', type: { constant: 'music' } };
      const mapFile = await bench.write(
        'map.json',
        JSON.stringify({ name: 'ru', encoding, fields }),
      );
      const rows = 'Код;Название\nА;Привет\nБ;Катюша\n';
      for (const bytes of [utf16le(rows), Buffer.from(rows)]) {
        const path = await bench.write('a.csv', bytes);
        const { summary } = await bench.run([path], { mapFile, dryRun: true });
        expect(summary).toEqual(counts(2));
      }
    },
  );

  it.each([
    ['a line feed', utf16le(MARK + SHEET), '0a'],
    ['a NUL byte, big-endian', utf16be(MARK + SHEET), '00'],
    ['a byte beside a sheet without a mark', utf16le(SHEET), '1a'],
  ])('is read whole if %s follows its last character', async (_, bytes, more) => {
    const path = await bench.write('a.csv', Buffer.concat([bytes, Buffer.from(more, 'hex')]));
    const { summary, rejections } = await bench.run([path]);
    expect({ summary, rejections }).toEqual({ summary: counts(2), rejections: [] });
    expect(await names()).toEqual(['Café Été', 'Привет 😀']);
  });

  it.each(['3dd8', '3dd800'])(
    'is not read to its end if that is half a character: %s',
    async (end) => {
      const path = await bench.write(
        'a.csv',
        Buffer.concat([utf16le(SHEET), Buffer.from(end, 'hex')]),
      );
      const { rejections } = await bench.run([path]);
      expect(rejections).toMatchObject([
        { reason: expect.stringContaining('the file has bytes that are not UTF-16LE') },
      ]);
    },
  );

  it('is read up to damaged bytes', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `${i}\tTrack ${i}\tmusic\n`).join('');
    const bytes = Buffer.concat([
      utf16le(`externalId\tname\ttype\n${rows}`),
      Buffer.from([0x00, 0xdc]),
    ]);
    const path = await bench.write('broken.csv', bytes);
    const { summary, rejections } = await bench.run([path], { dryRun: true });
    expect(summary.created).toBeGreaterThan(1000);
    expect(rejections).toMatchObject([
      { line: null, reason: 'the file has bytes that are not UTF-16LE; the rest was not read' },
    ]);
  });

  it.each([
    ['with a mark', (text: string) => utf16le(MARK + text)],
    ['without a mark', utf16be],
  ])('may be a message of DDEX, %s', async (_, encode) => {
    const message = ern43().replace('encoding="UTF-8"', 'encoding="UTF-16"');
    const path = await bench.write('a.xml', encode(message));
    const { summary, rejections } = await bench.run([path]);
    expect({ summary, rejections }).toEqual({ summary: counts(1), rejections: [] });
  });

  it.skipIf(!HAS_SHARED_DATA)(
    'is read as a supplier sends it, with and without a mark',
    async () => {
      const mapFile = join(SHARED_DATA, 'failing', 'utf16map.json');
      const bytes = await readFile(join(SHARED_DATA, 'failing', 'utf16le.csv'));
      for (const content of [bytes, bytes.subarray(2)]) {
        const path = await bench.write('a.csv', content);
        const { summary } = await bench.run([path], { mapFile, dryRun: true });
        expect(summary).toEqual(counts(2));
      }
    },
  );
});

describe('NaN and Infinity in JSON', () => {
  const record = (id: string, more: string) =>
    `{"externalId":"${id}","name":"A NaN","type":"music"${more}}`;
  const records = [
    record('a', ',"bpm":NaN,"isrc":null'),
    record('b', ',"bpm":92'),
    record('c', ',"durationSeconds":-Infinity'),
    record('d', ',"color":NaN,"more":{"x":[1,Infinity]}'),
    record('e', ',"tags":["x",NaN]'),
    record('f', ',"tags":["x",NaN],}'),
  ];

  it.each([
    ['lines', 'a.ndjson', records.join('\n')],
    ['lines of another name', 'a.json', records.join('\n')],
    ['a document', 'b.json', `[${records.slice(0, 5).join(',\n')}]`],
  ])('in %s reject the members that hold them', async (_, name, text) => {
    const { summary, rejections } = await bench.run([await bench.write(name, text)]);
    expect(summary.created).toBe(2);
    expect(rejections.slice(0, 3)).toMatchObject([
      { line: 1, field: 'bpm', reason: 'holds NaN, which is no value of JSON' },
      { line: 3, field: 'durationSeconds', reason: 'holds -Infinity, which is no value of JSON' },
      { line: 5, field: 'tags', reason: 'holds NaN, which is no value of JSON' },
    ]);
    for (const { reason } of rejections.slice(3)) {
      expect(reason).toMatch(/^not valid JSON: [^"]*$/);
    }
  });

  it('keep the track of a full delivery', async () => {
    const options = { source: 'acme', prune: true };
    const path = await bench.write('a.ndjson', record('a', ''));
    await bench.run([path], options);
    await bench.write('a.ndjson', record('a', ',"bpm":NaN'));
    expect((await bench.run([path], options)).summary).toMatchObject({ rejected: 1, withdrawn: 0 });
    expect(await names()).toEqual(['A NaN']);
  });

  it.skipIf(!HAS_SHARED_DATA)('have a clear reason in a real file', async () => {
    const { summary, rejections } = await bench.run([join(SHARED_DATA, 'failing', 'nan.ndjson')]);
    expect(summary).toEqual(counts(1, 2));
    expect(rejections.map(({ field }) => field)).toEqual(['bpm', 'bpm']);
  });
});

it.skipIf(!HAS_SHARED_DATA)('reads a workbook whose first shared text is empty', async () => {
  const path = join(SHARED_DATA, 'failing', 'legit-empty-first.xlsx');
  expect((await bench.run([path])).summary).toEqual(counts(1));
});
