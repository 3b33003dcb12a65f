import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';

const LIVE = 'f1c70000-0000-4000-8000-000000000200';
const TAKEN_DOWN = 'f1c70000-0000-4000-8000-000000000410';
const records = [
  { ...record('1'), id: LIVE },
  { ...record('2'), id: ` ${TAKEN_DOWN.toUpperCase()} ` },
  record('3'),
];

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

it.each<[string, string]>([
  ['a.ndjson', ndjson(...records)],
  ['a.json', JSON.stringify(records)],
  ['b.json', JSON.stringify({ tracks: records })],
  ['a.csv', `id,externalId,name,type\n${LIVE},,A,music\n${TAKEN_DOWN},2,B,sfx\n,3,C,music\n`],
  // Recognized by the mapping of catalog dumps.
  ['dump.ndjson', ndjson(...records.map((one) => ({ ...one, album: 'Nights' })))],
])('rejects the ids of fixtures in %s', async (name, text) => {
  const { summary, rejections } = await bench.run([await bench.write(name, text)]);
  expect(summary).toEqual(counts(1, 2));
  expect(rejections.map(({ field }) => field)).toEqual(['id', 'id']);
  expect(rejections[0]!.reason).toBe(
    `must not be "${LIVE}", which is the id of a track for tests of partners`,
  );
  expect(await bench.tracks()).toHaveLength(1);
});
