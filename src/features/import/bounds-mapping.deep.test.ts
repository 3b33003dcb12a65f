import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { again, importOnce } from '../../../test/harness/import-once.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const MiB = 1024 * 1024;
// Incompressible data let the file unpack to thirty times as much.
const names = Array.from({ length: 1000 }, () => randomBytes(600).toString('base64'));
const csv = `externalId,name,type\n${names.map((name, i) => `p${i},${name},music\n`).join('')}`;
const lines = ndjson(...names.map((name, i) => record(`p${i}`, { name })));
const records = lines.trimEnd().replaceAll('\n', ',');
const withMember = (value: string) => `{"externalId":"1","name":"a","type":"music","x":${value}}\n`;

/** A mapping of the own names, with more members. */
const mappingOf = (more: object, fields: object = {}) => ({
  name: 'x',
  fields: { externalId: 'externalId', name: 'name', type: 'type', ...fields },
  ...more,
});
const people = (each: object) => ({ artists: [{ each, name: 'v' }] });

describe('a megabyte of the worst input for a mapping', () => {
  it.each<[string, string, () => string, object, string?]>([
    [
      'rows of one track',
      'a.csv.gz',
      () => csv + again('p0,a,music\n'),
      mappingOf({ group: { rows: 'consecutive', conflicts: 'first' } }),
    ],
    [
      'rows to hold',
      'a.csv.gz',
      () => csv + again('p0,a,music\n'),
      mappingOf({ group: { rows: 'all', conflicts: 'first' } }),
    ],
    [
      'tracks to hold',
      'a.csv.gz',
      () => csv + Array.from({ length: 62_000 }, (_, i) => `${i},,music\n`).join(''),
      mappingOf({ group: { rows: 'all' }, tags: ['externalId'] }),
    ],
    [
      'entries of nested lists',
      'a.ndjson.gz',
      () => `{"x":[${records}]}\n${again(`{"x":[${'{},'.repeat(24_000)}1]}\n`)}`,
      mappingOf({ records: '$.x[]' }),
    ],
    [
      'entries in lists of lists',
      'a.json.gz',
      () =>
        `{"t":[{"x":{"k":{"y":[${records}]}}},${again(`{"x":{${'"k":{"y":[{},1]},'.repeat(3_000)}"l":1}},`)}{}]}`,
      mappingOf({ records: 't[].x{}.y[]' }),
    ],
    [
      'members to join',
      'a.ndjson.gz',
      () => lines + again(`${JSON.stringify(record('1', { name: 'x'.repeat(900) }))}\n`),
      mappingOf({}, { name: { join: Array(11).fill('name') } }),
    ],
    [
      'texts for a pattern',
      'a.ndjson.gz',
      () => lines + again(withMember(`"${'a'.repeat(9000)}"`)),
      mappingOf({}, { region: { from: 'x', extract: '(?:a|aa)+(b)$' } }),
    ],
    ...[100, 200].map((count): [string, string, () => string, object, string] => [
      `keys that each have ${count} rows`,
      'a.ndjson.gz',
      () => lines + again(withMember('"k"'), 5 * MiB),
      mappingOf(people({ from: 'x', lookup: { file: 'side.csv', key: 'k' } })),
      `k,v\n${Array.from({ length: count }, (_, i) => `k,v${i}\n`).join('')}`,
    ]),
    [
      'rows of a side file',
      'a.ndjson.gz',
      () => lines,
      mappingOf(people({ from: 'externalId', lookup: { file: 'side.csv', key: 'k' } })),
      `k,v\n${Array.from({ length: 190_000 }, (_, i) => `${i},v\n`).join('')}`,
    ],
  ])(
    'of %s in %s takes less than 300 MB and 60 s of processor time',
    async (_, name, content, mapping, side = '') => {
      const path = await bench.write(name, gzipSync(content(), { level: 9 }));
      await bench.write('side.csv', side);
      const map = await bench.write('map.json', JSON.stringify(mapping));
      const { peakMB, cpuSeconds, created, rejected } = await importOnce(bench, path, map);
      expect(created + rejected).toBeGreaterThan(0);
      expect(cpuSeconds).toBeLessThan(60);
      expect(peakMB).toBeLessThan(300);
    },
    240_000,
  );
});
