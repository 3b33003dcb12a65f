import { afterEach, beforeEach, expect, it } from 'vitest';
import { delivery } from '../../../test/harness/deliveries.ts';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { RepeatedIsrcs } from './repeated-isrcs.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

it('notes the ISRCs that several tracks have, in a file and across sources', async () => {
  const first = await bench.write('a.ndjson', ndjson(record('1', { isrc: 'DEA120000001' })));
  expect((await bench.run([first], { source: 'acme' })).notes).toEqual([]);
  expect((await bench.run([first], { source: 'acme' })).notes).toEqual([]);
  const path = await bench.write(
    'b.ndjson',
    ndjson(
      record('1', { isrc: 'DE-A12-00-00001' }),
      record('2', { isrc: 'DEA120000002' }),
      record('3', { isrc: 'DEA120000002' }),
      record('4', { isrc: 'DEA120000003' }),
      record('5'),
      record('6'),
    ),
  );
  const note =
    '2 ISRCs are also that of another track: DEA120000002 (twice in this import), DEA120000001 (of acme) (`stave tracks find ISRC` shows them)';
  for (const options of [{ dryRun: true }, { strict: true }]) {
    expect((await bench.run([path], { source: 'globex', ...options })).notes).toEqual([note]);
  }
  // A delivery that changes nothing is not noted again.
  expect((await bench.run([path], { source: 'globex' })).notes).toEqual([]);
});

it('names twenty of them', async () => {
  const isrc = (i: number) => `DEA12000${String(i).padStart(4, '0')}`;
  const records = Array.from({ length: 60 }, (_, i) => record(String(i), { isrc: isrc(i % 30) }));
  const path = await bench.write('many.ndjson', ndjson(...records));
  const { notes } = await bench.run([path], { source: 'many' });
  expect(notes).toEqual([expect.stringMatching(/^30 ISRCs are .* and 10 more \(/)]);
});

it('looks no further for an ISRC that is noted', async () => {
  const asked: string[][] = [];
  const repeated = new RepeatedIsrcs({
    tracksWithIsrcs: (isrcs) => {
      asked.push([...isrcs]);
      return bench.store.catalog.tracksWithIsrcs(isrcs);
    },
  });
  const [same, other] = ['DEA120000001', 'DEA120000002'];
  await repeated.add([delivery(1, { isrc: same })]);
  await repeated.add([delivery(2, { isrc: same }), delivery(3, { isrc: other })]);
  await repeated.add([delivery(4, { isrc: same })]);
  await repeated.add([delivery(5, { isrc: same }), delivery(6, { isrc: other })]);
  expect(asked).toEqual([[same], [same, other], [other]]);
  expect(repeated.text()).toMatch(/^2 ISRCs are also that of another track: DEA120000001 \(twice /);
});
