import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  PNG,
  record,
} from '../../../test/harness/import-bench.ts';
import { setTrackState } from '../../../test/harness/track-state.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe('--strict and --dry-run', () => {
  it('import nothing if a record is rejected, and everything otherwise', async () => {
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

  it('report what an import would do, and write nothing, not even media', async () => {
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

describe('the notes of an import', () => {
  it('name the tracks that stay taken down, also with --dry-run and --strict', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1'), record('2')));
    await bench.run([path]);
    const id = await bench.store.catalog.resolveTrack('track-1');
    await setTrackState(bench.store, id!, 'taken_down', 'test:import');
    for (const options of [{ dryRun: true }, {}, { strict: true }]) {
      const { summary, rejections, notes } = await bench.run([path], options);
      expect(summary).toEqual({ ...counts(0), read: 2, unchanged: 2, stayDown: 1 });
      expect(rejections).toEqual([]);
      expect(notes).toEqual([
        expect.stringMatching(/^1 of the tracks stays down, because it was taken down: track-1 \(/),
      ]);
    }
  });

  it('name the source that owns a track', async () => {
    const id = '0b81a2c5-62a6-4d0e-9d1c-6a3a1f0f9c11';
    const path = await bench.write('a.ndjson', ndjson({ id, name: 'Mine', type: 'music' }));
    await bench.run([path], { source: 'acme' });
    const head = await bench.store.changes.head();
    const { summary, rejections } = await bench.run([path], { source: 'globex' });
    expect(summary).toEqual({ ...counts(0, 1) });
    expect(rejections).toEqual([
      {
        file: path,
        line: 1,
        field: 'id',
        reason:
          'belongs to a track of the source acme; another source can deliver it once acme has withdrawn it',
      },
    ]);
    expect(await bench.store.changes.head()).toBe(head);
    expect((await bench.run([path], { source: 'acme' })).summary).toMatchObject({ unchanged: 1 });
  });
});

describe('--prune', () => {
  const acme = { source: 'acme' };
  const prune = { ...acme, prune: true };
  const numbered = (from: number, to: number) =>
    ndjson(...Array.from({ length: to - from }, (_, i) => record(String(from + i))));

  async function imported(count: number, name = 'a.ndjson'): Promise<string> {
    const path = await bench.write(name, numbered(0, count));
    await bench.run([path], acme);
    return path;
  }

  it('withdraws the tracks that the source no longer lists, until it lists them again, and no others', async () => {
    const path = await imported(10);
    await bench.run([path], { source: 'other' });
    await bench.write('a.ndjson', numbered(2, 10));
    expect((await bench.run([path], { ...prune, dryRun: true })).summary.withdrawn).toBe(2);
    expect(await bench.tracks()).toHaveLength(20);
    expect((await bench.run([path], prune)).summary).toMatchObject({ unchanged: 8, withdrawn: 2 });
    expect(await bench.tracks()).toHaveLength(18);
    expect((await bench.run([path], prune)).summary).toMatchObject({ unchanged: 8, withdrawn: 0 });
    await bench.write('a.ndjson', numbered(0, 10));
    const back = await bench.run([path], prune);
    expect(back.summary).toMatchObject({ updated: 2, unchanged: 8, withdrawn: 0 });
    expect(await bench.tracks()).toHaveLength(20);
  });

  it('never restores a track that the operator took down', async () => {
    const path = await imported(10);
    await bench.write('a.ndjson', numbered(1, 10));
    await bench.run([path], prune);
    const id = await bench.store.catalog.resolveTrack('track-0');
    await setTrackState(bench.store, id!, 'taken_down', 'test:import');
    await imported(10);
    expect(await bench.tracks()).toHaveLength(9);
  });

  it('requires an explicit source, before it reads a record', async () => {
    const own = await bench.write('a.ndjson', numbered(0, 1));
    const dump = await bench.write('b.ndjson', ndjson(record('2', { album: 'x' })));
    await expect(bench.run([own, dump], { prune: true })).rejects.toThrow(
      /^--prune needs --source: .* belong to stave, catalog-dump\)$/,
    );
    expect(await bench.tracks()).toEqual([]);
    await expect(bench.run([own], { pruneLimit: 5 })).rejects.toThrow(
      '--prune-limit needs --prune',
    );
    expect((await bench.run([own, dump], prune)).summary).toMatchObject({
      created: 2,
      withdrawn: 0,
    });
  });

  it('refuses to withdraw more than a fifth, however large the delivery is', async () => {
    const path = await imported(10);
    await bench.write('a.ndjson', numbered(3, 200));
    const { summary, refusals } = await bench.run([path], prune);
    expect(summary).toMatchObject({ created: 190, unchanged: 7, withdrawn: 0 });
    expect(refusals).toEqual([
      'nothing was withdrawn: --prune would withdraw 3 of the 10 live tracks of acme, more than a fifth; if that is right, import again with --prune-limit 3',
    ]);
    expect(await bench.tracks()).toHaveLength(200);
  });

  it('withdraws one of five tracks, but not one of four, also of a small source', async () => {
    const five = await imported(5);
    await bench.write('a.ndjson', numbered(1, 5));
    expect(await bench.run([five], prune)).toMatchObject({
      summary: { withdrawn: 1 },
      refusals: [],
    });
    await bench.write('a.ndjson', numbered(2, 5));
    expect(await bench.run([five], prune)).toMatchObject({
      summary: { withdrawn: 0 },
      refusals: [expect.stringContaining('withdraw 1 of the 4 live tracks of acme')],
    });
  });

  it('withdraws as many as --prune-limit allows, and refuses beyond it', async () => {
    const path = await imported(100);
    await bench.write('a.ndjson', numbered(10, 100));
    const small = await bench.run([path], { ...prune, pruneLimit: 9 });
    expect(small.summary.withdrawn).toBe(0);
    expect(small.refusals).toEqual([
      expect.stringMatching(/10 of the 100 live .* more than --prune-limit 9; .*--prune-limit 10$/),
    ]);
    expect((await bench.run([path], { ...prune, pruneLimit: 0 })).refusals).toHaveLength(1);
    expect(await bench.tracks()).toHaveLength(100);
    await bench.write('a.ndjson', numbered(60, 100));
    const large = await bench.run([path], { ...prune, pruneLimit: 60 });
    expect(large).toMatchObject({ summary: { withdrawn: 60 }, refusals: [] });
  });

  it('reports with --dry-run how many it would withdraw, and that it would be refused', async () => {
    const path = await imported(10);
    await bench.write('a.ndjson', numbered(5, 10));
    const { summary, refusals } = await bench.run([path], { ...prune, dryRun: true });
    expect(summary.withdrawn).toBe(5);
    expect(refusals).toEqual([
      expect.stringMatching(/^--prune would be refused: it would withdraw 5 /),
    ]);
    const head = await bench.store.changes.head();
    expect((await bench.run([path], { ...prune, dryRun: true, pruneLimit: 5 })).refusals).toEqual(
      [],
    );
    expect(await bench.store.changes.head()).toBe(head);
  });

  it('imports nothing with --strict if it is refused', async () => {
    const path = await imported(10);
    await bench.write('a.ndjson', numbered(5, 12));
    const { summary, refusals } = await bench.run([path], { ...prune, strict: true });
    expect(summary).toMatchObject({ read: 7, created: 0, unchanged: 0 });
    expect(refusals).toHaveLength(1);
    expect(await bench.tracks()).toHaveLength(10);
    const allowed = await bench.run([path], { ...prune, strict: true, pruneLimit: 5 });
    expect(allowed.summary).toMatchObject({ created: 2, unchanged: 5, withdrawn: 5 });
  });

  it('counts a rejected record as listed, and continues with the others', async () => {
    const path = await imported(10);
    await bench.write(
      'a.ndjson',
      `${numbered(2, 10)}${ndjson(record('1', { bpm: 'fast' }), record('99', { name: '' }))}`,
    );
    const { summary, notes } = await bench.run([path], prune);
    expect(summary).toMatchObject({ unchanged: 8, rejected: 2, withdrawn: 1 });
    expect(notes).toEqual([]);
    expect((await bench.tracks()).map(({ name }) => name)).toContain('Track 1');
    expect((await bench.tracks()).map(({ name }) => name)).not.toContain('Track 0');
  });

  it('withdraws nothing if the id of a record is unknown, or a file ends too early', async () => {
    const path = await imported(10);
    await bench.write('a.ndjson', `${numbered(1, 10)}{"externalId":\n`);
    const { summary, notes } = await bench.run([path], prune);
    expect(summary).toMatchObject({ rejected: 1, withdrawn: 0 });
    expect(notes).toEqual(['nothing was withdrawn: the id of a rejected record is unknown']);
    const packed = gzipSync(ndjson(...Array.from({ length: 3000 }, (_, i) => record(`x${i * i}`))));
    const cut = await bench.write('b.gz', packed.subarray(0, -20));
    expect((await bench.run([cut], { ...prune, pruneLimit: 100 })).summary.withdrawn).toBe(0);
    expect(
      (await bench.tracks()).filter(({ name }) => /^Track \d$/.test(String(name))),
    ).toHaveLength(10);
  });

  it('refuses files without tracks and single audio files before it writes', async () => {
    const own = await bench.write('a.ndjson', numbered(0, 1));
    const empty = await bench.write('c.ndjson', '');
    const audio = await bench.write('d.mp3', 'x');
    await expect(bench.run([own, empty], prune)).rejects.toThrow('can be read');
    await expect(bench.run([audio], prune)).rejects.toThrow('whole folder');
    expect(await bench.tracks()).toEqual([]);
  });
});
