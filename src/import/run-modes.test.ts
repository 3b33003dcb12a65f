import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  PNG,
  record,
} from '../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe('--strict and --dry-run', () => {
  it('take nothing in when anything is rejected, and all when nothing is', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1'), record('2', { name: '' }), record('3')),
    );
    const strict = await bench.run([path], { strict: true });
    expect(strict.summary).toEqual({ read: 3, created: 0, updated: 0, unchanged: 0, rejected: 3 });
    expect(strict.rejections).toMatchObject([{ line: 2 }]);
    expect(await bench.tracks()).toEqual([]);
    const good = await bench.write('b.ndjson', ndjson(record('1'), record('3')));
    expect((await bench.run([good], { strict: true })).summary).toEqual(counts(2));
  });

  it('report what would happen and write nothing, not even media', async () => {
    await bench.write('cover.png', PNG);
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1', { artwork: 'cover.png' }), record('2')),
    );
    expect((await bench.run([path], { dryRun: true })).summary).toEqual(counts(2));
    expect(await bench.tracks()).toEqual([]);
    expect(await bench.mediaKeys()).toEqual([]);
    await bench.run([path]);
    const head = await bench.store.changes.head();
    expect((await bench.run([path], { dryRun: true })).summary).toMatchObject({ unchanged: 2 });
    expect(await bench.store.changes.head()).toBe(head);
  });
});

describe('--prune', () => {
  const all = ndjson(record('1'), record('2'), record('3'));

  it('takes down what the source no longer lists, and nothing of others', async () => {
    const path = await bench.write('a.ndjson', all);
    await bench.run([path]);
    await bench.run([path], { source: 'other' });
    await bench.write('a.ndjson', ndjson(record('1')));
    expect((await bench.run([path], { prune: true, dryRun: true })).summary.takenDown).toBe(2);
    expect(await bench.tracks()).toHaveLength(6);
    expect((await bench.run([path], { prune: true })).summary).toMatchObject({
      unchanged: 1,
      takenDown: 2,
    });
    expect(await bench.tracks()).toHaveLength(4);
    await bench.write('a.ndjson', all);
    await bench.run([path], { prune: true });
    expect(await bench.tracks()).toHaveLength(4);
  });

  it('does not let a rejected record take its own track down', async () => {
    const path = await bench.write('a.ndjson', all);
    await bench.run([path]);
    await bench.write('a.ndjson', ndjson(record('1'), record('2', { bpm: 'fast' })));
    const { summary, notes } = await bench.run([path], { prune: true });
    expect(summary).toMatchObject({ rejected: 1, takenDown: 0 });
    expect(notes).toEqual([
      expect.stringMatching(/^nothing was taken down: the record of a live track/),
    ]);
    expect(await bench.tracks()).toHaveLength(3);
  });

  it('goes on past rejected records that were never in the catalog', async () => {
    const path = await bench.write('a.ndjson', all);
    await bench.run([path]);
    await bench.write('a.ndjson', ndjson(record('1'), record('9', { name: '' })));
    expect((await bench.run([path], { prune: true })).summary).toMatchObject({
      rejected: 1,
      takenDown: 2,
    });
  });

  it('takes nothing down when a record does not tell its track, or a file ends too early', async () => {
    const path = await bench.write('a.ndjson', all);
    await bench.run([path]);
    await bench.write('a.ndjson', `${ndjson(record('1'))}{"externalId":\n`);
    expect((await bench.run([path], { prune: true })).summary.takenDown).toBe(0);
    const packed = gzipSync(ndjson(...Array.from({ length: 3000 }, (_, i) => record(`x${i * i}`))));
    const cut = await bench.write('b.gz', packed.subarray(0, -20));
    expect((await bench.run([cut], { prune: true })).summary.takenDown).toBe(0);
    expect(
      (await bench.tracks()).filter(({ name }) => /^Track \d$/.test(String(name))),
    ).toHaveLength(3);
  });

  it('refuses several sources, files without tracks and single audio files before it writes', async () => {
    const own = await bench.write('a.ndjson', ndjson(record('1')));
    const dump = await bench.write('b.ndjson', ndjson(record('2', { album: 'x' })));
    const empty = await bench.write('c.ndjson', '');
    const audio = await bench.write('d.mp3', 'x');
    await expect(bench.run([own, dump], { prune: true })).rejects.toThrow(
      'needs one source, and these are 2: stave, catalog-dump',
    );
    await expect(bench.run([own, empty], { prune: true })).rejects.toThrow('can be read');
    await expect(bench.run([audio], { prune: true })).rejects.toThrow('whole folder');
    expect(await bench.tracks()).toEqual([]);
    expect((await bench.run([own, dump], { prune: true, source: 'one' })).summary).toMatchObject({
      created: 2,
      takenDown: 0,
    });
  });
});
