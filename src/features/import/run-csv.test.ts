import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe('a CSV file with an unbalanced quote', () => {
  const names = ['Calm', 'Dawn', 'Dusk', 'Rain', 'Snow', 'Wind', 'Single 7"', 'Late'];
  const whole = names.map((name, i) => record(`q${i}`, { name }));
  const text = (first: string) =>
    `externalId,name,type\nq0,${first},music\n${names
      .map((name, i) => `q${i},${name},music\n`)
      .slice(1)
      .join('')}`;

  it.each([
    ['that is never closed', text('"Calm').replace('7"', '7')],
    ['that another row closes', text('"Calm')],
    ['that another row closes, with text after it', text('"Calm').replace('Rain', '"Rain" live')],
  ])('%s is imported without that row, and withdraws nothing', async (_, csv) => {
    const before = await bench.write('a.ndjson', ndjson(...whole, record('old')));
    await bench.run([before], { source: 'acme' });
    const path = await bench.write('a.csv', csv);
    const { summary, rejections, notes } = await bench.run([path], { source: 'acme', prune: true });
    expect(summary).toMatchObject({ read: 8, created: 0, rejected: 1 });
    expect(rejections).toMatchObject([
      { file: path, line: 2, field: '', reason: expect.stringContaining('a quote that') },
    ]);
    expect(notes).toContainEqual(expect.stringMatching(/^nothing was/));
    expect(await bench.tracks()).toHaveLength(9);
  });

  it('is imported completely if all quotes are closed within their line', async () => {
    const path = await bench.write('a.csv', text('"Heroes" (live)'));
    const { summary } = await bench.run([path]);
    expect(summary).toMatchObject({ read: 8, created: 8, rejected: 0 });
    expect((await bench.tracks()).map(({ name }) => name)).toContain('"Heroes" (live)');
  });
});
