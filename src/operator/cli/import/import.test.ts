import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../../test/harness/import-bench.ts';
import { ORIGINAL_STREAMS } from '../../../../test/harness/stream-settings.ts';
import { silentLog } from '../../../common/log.ts';
import { openOutput } from '../terminal/output.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { type ImportCommandOptions, importLicenses, importTracks } from './import.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

async function command(
  work: (
    context: Parameters<typeof importTracks>[2],
    output: Parameters<typeof importTracks>[3],
  ) => Promise<number>,
  json: boolean,
) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const { store, media, clock } = bench;
  const config = { dataFolder: bench.folder, ...ORIGINAL_STREAMS };
  const exitCode = await work(
    { config, store, media, clock, log: silentLog, by: 'cli:test' },
    openOutput({ json, stdout, stderr }),
  );
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const run = (paths: string[], options: ImportCommandOptions = {}, json = false) =>
  command((context, output) => importTracks(paths, options, context, output), json);

describe('stave import', () => {
  it('prints its counts, as a line or as JSON, and exits with 0', async () => {
    const path = await bench.write('a.ndjson', ndjson(record('1'), record('2')));
    expect(await run([path], { dryRun: true })).toEqual({
      exitCode: 0,
      stdout: 'Dry run: read 2: 2 created, 0 updated, 0 unchanged, 0 rejected.\n',
      stderr: `${path}: NDJSON, Stave’s own form, source stave\n`,
    });
    expect(await run([path], {}, true)).toEqual({
      exitCode: 0,
      stdout: '{"read":2,"created":2,"updated":0,"unchanged":0,"rejected":0}\n',
      stderr: expect.stringMatching(
        /^.*a\.ndjson: NDJSON, Stave’s own form, source stave\nthe import is batch \S+: `stave import undo \S+` takes it back\n$/,
      ),
    });
    expect((await run([path], { prune: true, source: 'stave' })).stdout).toBe(
      'Read 2: 0 created, 0 updated, 2 unchanged, 0 rejected, 0 withdrawn.\n',
    );
  });

  it('exits with 2 and one line for each rejection, safe for a terminal', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1'), record('2', { bpm: '\u009b31m\u202e' }), []),
    );
    expect(await run([path])).toEqual({
      exitCode: 2,
      stdout: 'Read 3: 1 created, 0 updated, 0 unchanged, 2 rejected.\n',
      stderr: expect.stringContaining(
        [
          `${path}: NDJSON, Stave’s own form, source stave`,
          `${path}:2: bpm: must be a number between 0 and 1000; it is "�31m�" (Stave’s own form, source stave)`,
          `${path}:3: must be a JSON object (Stave’s own form, source stave)\n`,
        ].join('\n'),
      ),
    });
  });

  it('prints the first hundred rejections, and writes all of them to the given file', async () => {
    const bad = Array.from({ length: 150 }, (_, i) => record(`${i}`, { name: '' }));
    const path = await bench.write('a.ndjson', ndjson(...bad));
    const short = await run([path]);
    expect(short.stderr.split('\n')).toHaveLength(103);
    expect(short.stderr).toMatch(/\n… and 50 more \(--rejects FILE lists all\)\n$/);
    const rejects = join(bench.folder, 'rejects.ndjson');
    await run([path], { rejects });
    const lines = (await readFile(rejects, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(150);
    expect(JSON.parse(lines[149]!)).toEqual({
      file: path,
      line: 150,
      field: 'name',
      reason: 'must not be empty',
      mapping: null,
      source: 'stave',
    });
    await expect(run([path], { rejects: join(bench.folder, 'no', 'x') })).rejects.toThrow(
      'cannot write',
    );
  });

  it.runIf(existsSync('/dev/full'))(
    'imports the tracks, and fails with one line if the file of rejections cannot be written',
    async () => {
      // The records are several batches, so that the write fails long before the end.
      const bad = Array.from({ length: 1_500 }, (_, i) => record(`bad-${i}`, { name: '' }));
      const path = await bench.write('a.ndjson', ndjson(...bad, record('1')));
      await expect(run([path], { rejects: '/dev/full' })).rejects.toThrow(
        'cannot write /dev/full: the disk is full',
      );
      expect((await bench.store.catalog.counts()).live).toBe(1);
    },
  );

  it('never overwrites its input with rejections', async () => {
    const text = ndjson(record('1'), record('2', { name: '' }));
    const path = await bench.write('a.ndjson', text);
    const otherName = join(bench.folder, 'b.ndjson');
    await symlink(path, otherName);
    await expect(run([path], { rejects: otherName })).rejects.toThrow('would overwrite');
    const map = await bench.write('map.json', '{}');
    await expect(run([path], { map, rejects: map })).rejects.toThrow('would overwrite');
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await readFile(map, 'utf8')).toBe('{}');
  });

  it('fails if its files do not exist', async () => {
    await expect(run([join(bench.folder, 'none')])).rejects.toThrow('no such file or folder');
  });
});

describe('stave licenses import', () => {
  it('reads licenses, and has the exit codes of `stave import`', async () => {
    await run([await bench.write('a.ndjson', ndjson(record('1', { name: 'Rain', slug: 'rain' })))]);
    const sold = { externalId: '1', track: 'rain', mode: 'live', licensedAt: '2026-11-02' };
    const path = await bench.write(
      'l.ndjson',
      ndjson(sold, { ...sold, externalId: '2', track: 'snow' }),
    );
    const licenses = () =>
      command((context, output) => importLicenses([path], context, output), true);
    expect(await licenses()).toEqual({
      exitCode: 2,
      stdout: '{"read":2,"created":1,"updated":0,"unchanged":0,"rejected":1}\n',
      stderr: `${path}:2: track: names no track of the catalog; it is "snow"\n`,
    });
  });
});

describe('the progress bar', () => {
  it('rewrites one line at most ten times per second, and clears it at the end', () => {
    const terminal = new PassThrough();
    let now = 1_000;
    const bar = progressBar(terminal, { now: () => now });
    now += 2_000;
    bar.show({ bytesRead: 50, bytesTotal: 200, records: 30_000 });
    now += 50;
    bar.show({ bytesRead: 60, bytesTotal: 200, records: 31_000 });
    bar.around(() => terminal.write('note\n'));
    now += 1_000;
    bar.show({ bytesRead: 0, bytesTotal: 0, records: 7 });
    bar.clear();
    bar.clear();
    expect(String(terminal.read())).toBe(
      '\r\x1b[K██████░░░░░░░░░░░░░░░░░░ 25 % · 30,000 records · 15,000/s' +
        '\r\x1b[Knote\n' +
        '\r\x1b[K7 records · 2/s' +
        '\r\x1b[K',
    );
  });
});
