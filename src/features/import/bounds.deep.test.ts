import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { importOnce, again as repeatedUpTo } from '../../../test/harness/import-once.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const MiB = 1024 * 1024;
/** More than a file of this size may unpack to: 16 MiB, and thirty times its size. */
const again = (text: string, bytes = 20 * MiB) => repeatedUpTo(text, bytes);

const names = Array.from({ length: 100 }, () => randomBytes(600).toString('base64'));
const csv = `externalId,name,type\n${names.map((name, i) => `p${i},${name},music\n`).join('')}`;
const lines = ndjson(...names.map((name, i) => record(`p${i}`, { name })));
const wide = Array.from({ length: 997 }, (_, i) => `,c${i}`).join('');
const wideRow = (name: string, i: number) => `p${i},${name},music${','.repeat(997)}\n`;
const withMember = (value: string) => `{"externalId":"1","name":"a","type":"music","x":${value}}\n`;

describe('the most that a small file of the worst input may unpack to', () => {
  it.each<[string, string, () => string]>([
    ['commas', 'a.csv.gz', () => csv + again(',')],
    ['blank lines', 'a.csv.gz', () => csv + again('\n')],
    ['unclosed quotes', 'a.csv.gz', () => csv + again('x","\n')],
    [
      'a thousand empty columns',
      'a.csv.gz',
      () =>
        `externalId,name,type${wide}\n${names.map(wideRow).join('')}${again(`x${','.repeat(999)}\n`)}`,
    ],
    ['blank lines', 'a.ndjson.gz', () => lines + again('\n')],
    [
      'lists of empty lists',
      'a.ndjson.gz',
      () => lines + again(withMember(`[${'[],'.repeat(300_000)}1]`)),
    ],
    [
      'a record with the maximum number of short lists',
      'a.ndjson.gz',
      () => lines + again(withMember(`[${'[],'.repeat(24_000)}1]`)),
    ],
    [
      'nested brackets',
      'a.ndjson.gz',
      () => lines + again(withMember('['.repeat(400_000) + ']'.repeat(400_000))),
    ],
    ['empty records', 'a.ndjson.gz', () => lines + again('{}\n')],
    [
      'empty records, and a tenth valid records, so that it is read to its end',
      'a.ndjson.gz',
      // A quarter of what the others have: the full amount took 43 s of processor time on a loaded machine.
      () => lines + again(`${ndjson(record('1'))}${'{}\n'.repeat(9)}`, 5 * MiB),
    ],
    ['commas', 'a.json.gz', () => `[${lines.trimEnd().replaceAll('\n', ',\n')}${again(',')}]`],
  ])(
    'of %s in %s is imported with less than 300 MB and 30 s of processor time',
    async (_, name, content) => {
      const path = await bench.write(name, gzipSync(content(), { level: 9 }));
      const { peakMB, cpuSeconds, created, rejected } = await importOnce(bench, path);
      expect(cpuSeconds).toBeLessThan(30);
      expect(created).toBeGreaterThanOrEqual(100);
      expect(rejected).toBeGreaterThan(0);
      expect(peakMB).toBeLessThan(300);
    },
    240_000,
  );
});

describe('random input', () => {
  /** Expects that each record is imported or rejected, and that a file without records is rejected. */
  async function expectAccounted(name: string, content: string | Uint8Array, options: object = {}) {
    const path = await bench.write(name, content);
    const { summary, rejections } = await bench.run([path], { dryRun: true, ...options });
    const { read, created, updated, unchanged, rejected } = summary;
    expect(created + updated + unchanged + rejected).toBeGreaterThanOrEqual(Math.max(1, read));
    expect(rejections).toHaveLength(rejected);
  }
  const RUNS = { numRuns: 60 };
  const pieces = (...known: string[]) =>
    fc
      .array(fc.oneof(fc.constantFrom(...known), fc.string({ unit: 'binary', maxLength: 5 })), {
        maxLength: 30,
      })
      .map((parts) => parts.join(''));
  const jsonPieces = pieces(
    ...'{}[]",:\n\\',
    JSON.stringify(record('1')),
    '"tracks":[',
    '"artists":[{}]',
    '"name":"x"',
    'null',
    '\ufeff',
  );

  it('in NDJSON is imported or rejected, record by record', () =>
    fc.assert(
      fc.asyncProperty(jsonPieces, fc.json(), (text, json) =>
        expectAccounted('a.ndjson', `${JSON.stringify(record('0'))}\n${text}\n${json}\n`),
      ),
      RUNS,
    ));

  it('in JSON is imported or rejected', () =>
    fc.assert(
      fc.asyncProperty(jsonPieces, fc.json(), (text, json) =>
        expectAccounted('a.json', text.length % 2 === 0 ? text : json),
      ),
      RUNS,
    ));

  it('in CSV is imported or rejected, row by row', () => {
    const text = pieces(...'",;\t\n|[', '\r\n', '1,Rain,music\n', '""', 'externalId', '\0');
    return fc.assert(
      fc.asyncProperty(text, (rows) => expectAccounted('a.csv', `externalId,name,type\n${rows}`)),
      RUNS,
    );
  });

  it('in truncated or damaged gzip data is imported or rejected', () => {
    const packed = gzipSync(lines);
    const damage = fc.record({
      length: fc.integer({ min: 0, max: packed.length }),
      at: fc.integer({ min: 0, max: packed.length - 1 }),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    return fc.assert(
      fc.asyncProperty(damage, async ({ length, at, byte }) => {
        const broken = Buffer.from(packed);
        broken[at] = byte;
        await expectAccounted('a.ndjson.gz', broken.subarray(0, length));
      }),
      RUNS,
    );
  });

  it('in an audio file is imported or rejected', () => {
    const beginnings = [
      'ID3\x04\0\0\0\0\x0f\x76',
      'fLaC\0\0\0\x22',
      'OggS\0\x02',
      'RIFF\0\0\x10\0WAVE',
      'RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0',
      'RIFF\0\0\x10\0WAVEiXML\x40\0\0\0<a><USER><CATID>',
      '\xff\xfb\x90\x64',
      '\0\0\0\x10ftypM4A ',
      'FORM\0\0\x10\0AIFF',
    ];
    const file = fc.record({
      beginning: fc.constantFrom(...beginnings),
      rest: fc.uint8Array({ maxLength: 2000 }),
      times: fc.integer({ min: 1, max: 50 }),
      extension: fc.constantFrom('mp3', 'flac', 'ogg', 'wav', 'm4a', 'aiff', 'aac'),
    });
    return fc.assert(
      fc.asyncProperty(file, ({ beginning, rest, times, extension }) => {
        const parts = Array.from({ length: times }, () => [Buffer.from(beginning, 'latin1'), rest]);
        return expectAccounted(`a.${extension}`, Buffer.concat(parts.flat()));
      }),
      { numRuns: 12 },
    );
  }, 240_000);

  it('in a mapping produces records, or the mapping is refused with one line', () => {
    const rule = fc.oneof(
      fc.constantFrom('a', 'b.c', ''),
      fc.record(
        {
          from: fc.constantFrom('a', 'b', 'b.c'),
          matches: fc.oneof(fc.constantFrom('^(a+)+$', '(?=a)'), fc.string({ maxLength: 8 })),
          extract: fc.oneof(fc.constantFrom('(a)', '^(a|b)+$', 'a'), fc.string({ maxLength: 8 })),
          stripEnd: fc.oneof(fc.string({ maxLength: 2 }), fc.array(fc.string({ maxLength: 2 }))),
          decimal: fc.constantFrom(',', '.', ';'),
          rate: fc.constantFrom<unknown>('b', 44_100, 0),
          lookup: fc.constantFrom({ file: 'a.ndjson', key: 'a' }, { file: 'no', key: '$key' }),
          split: fc.string({ maxLength: 2 }),
          decode: fc.constantFrom('json', 'python-literal', 'xml'),
          pick: fc.constantFrom('c', '__proto__'),
          form: fc.constantFrom('D-MMM-YY', 'YYYY', 'x', 'MM/DD', 'excel'),
          unit: fc.constantFrom('clock', 'milliseconds', 'samples'),
          prefix: fc.string({ maxLength: 3 }),
        },
        { requiredKeys: ['from'] },
      ),
      fc.record({ join: fc.array(fc.constantFrom('a', 'b.c', '$key'), { maxLength: 3 }) }),
    );
    const mapping = fc.record({
      fields: fc.record({ externalId: rule, name: rule, releaseDate: rule, durationSeconds: rule }),
      artists: fc.array(fc.record({ name: rule }), { maxLength: 2 }),
      filters: fc.array(
        rule.map((one) => ({ type: 'genre', ...(typeof one === 'object' ? one : { from: 'a' }) })),
        { maxLength: 2 },
      ),
      availability: fc.array(fc.record({ each: rule, territories: rule, until: rule }), {
        minLength: 1,
        maxLength: 2,
      }),
    });
    return fc.assert(
      fc.asyncProperty(mapping, fc.array(fc.json(), { maxLength: 5 }), async (rules, values) => {
        const mapFile = await bench.write('m.json', JSON.stringify({ name: 'x', ...rules }));
        const records = values.map((a) => ({ a, b: { c: JSON.parse(a) } }));
        try {
          await expectAccounted('a.ndjson', ndjson(...records), { mapFile, type: 'music' });
        } catch (error) {
          expect((error as Error).name).toBe('OperatorError');
          expect((error as Error).message).toMatch(
            /^(the mapping|the side file|cannot read) [^\n]*$/,
          );
        }
      }),
      RUNS,
    );
  });
});
