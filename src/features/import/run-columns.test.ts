import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe('a delivery in Stave’s own columns', () => {
  it('may have titles, rows that end with CR, trailing separators, and written values', async () => {
    const text = [
      'Acme Music Ltd;;',
      '',
      'externalId;name;type;durationSeconds;isPRO;',
      '1;A;music;3:04;Yes;',
      'externalId;name;type;durationSeconds;isPRO;',
      `2;B;music;4'00";n`,
    ].join('\r');
    const path = await bench.write('a.csv', text);
    const { summary, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(2));
    expect(notes).toEqual([`${path}: the heading is line 3; the lines above it are passed over`]);
    expect(await bench.tracks()).toMatchObject([
      { name: 'A', durationSeconds: 184, isPRO: true },
      { name: 'B', durationSeconds: 240, isPRO: false },
    ]);
  });

  it('is refused if a column of the record is there twice', async () => {
    const path = await bench.write('a.csv', 'externalId,name,name,type\n1,A,B,music\n');
    const { rejections } = await bench.run([path]);
    expect(rejections).toMatchObject([
      { reason: expect.stringContaining('names the column "name" twice; a mapping can read both') },
    ]);
  });
});

describe('a long document on one line', () => {
  it('is read as a document', async () => {
    const tracks = Array.from({ length: 2000 }, (_, i) =>
      record(`${i}`, { tags: ['x'.repeat(50)] }),
    );
    const path = await bench.write('a.json', JSON.stringify({ data: { tracks } }));
    expect((await bench.run([path])).summary).toEqual(counts(2000));
  });
});
