import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { openStore } from '../../app/open/open-store.ts';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import type { DocumentParts } from '../catalog/document-copy.ts';
import { documentOf } from '../catalog/store/track-row.ts';
import { ORIGINALS } from '../catalog/streamed-audio.ts';
import type { ImportOptions } from './options.ts';

/** Enough for a file of this many bytes, which the import writes in a thread. */
const LONG = 'x'.repeat(2_000);
const RECORDS = 1_700;

let plain: ImportBench;
let threaded: ImportBench;
let threads = 0;
const countThread = () => {
  threads++;
};

beforeEach(async () => {
  threads = 0;
  process.on('worker', countThread);
  plain = await openImportBench();
  threaded = await openImportBench((path) =>
    openStore(
      { dataFolder: dirname(path), database: null },
      { clock: systemClock, log: silentLog },
    ),
  );
});
afterEach(async () => {
  process.off('worker', countThread);
  await plain.close();
  await threaded.close();
});

/** Imports the content with and without a thread, and returns the result, which is the same. */
async function runBoth(name: string, content: string | Buffer, options: Partial<ImportOptions>) {
  const [one, other] = await Promise.all(
    [plain, threaded].map(async (bench) => {
      const batches: string[] = [];
      const progress: unknown[] = [];
      const documents: DocumentParts[] = [];
      const result = await bench.run([await bench.write(name, content)], {
        source: 'label',
        ...options,
        onBatch: (id) => batches.push(id),
        onCreated: async (created) => {
          documents.push(...created.map((track) => documentOf(track, ORIGINALS)));
        },
        onProgress: ({ bytesTotal, records }) => progress.push([bytesTotal, records]),
      });
      const changes = await bench.store.changes.latest(5_000);
      const text = JSON.stringify({ ...result, progress }).replaceAll(bench.folder, 'FOLDER');
      return {
        ...{
          result: JSON.parse(text),
          tracks: await bench.tracks(),
          batches: batches.length,
          documents,
        },
        changes: changes.map(({ seq, kind, entityId, changed }) => [seq, kind, entityId, changed]),
      };
    }),
  );
  expect(other).toEqual(one);
  return one!;
}

/** Records with many values, an invalid one, a line that is no JSON, an equal one and one with other values. */
function mixed(version: number): string {
  const all = Array.from({ length: RECORDS }, (_, i) =>
    record(String(i % (RECORDS - 2)), {
      ...{ name: `Näme ${i % 40}`, tags: [`v${version && i % 3}`], padding: LONG },
      ...{ releaseDate: '2020', isrc: i % 50 === 0 ? 'USUAN1100001' : null },
      artists: [{ name: `A${i % 9}`, ipi: i % 7 === 0 ? '00014107338' : null }],
      filters: ['genre:Ambient', `mood:M${i % 5}`],
      ...(i % 100 === 0 && { translations: { de: { name: `Nacht ${i}`, tags: ['ruhig'] } } }),
      ...(i % 90 === 0 && { availability: [{ territories: ['DE'], until: '2100-01-01' }] }),
      ...(i === 700 && { type: 'noise' }),
    }),
  );
  all[RECORDS - 2] = all[0]!;
  const lines = ndjson(...all).split('\n');
  lines[900] = '{"externalId": "broken",';
  return lines.join('\n');
}

it('writes in a thread what it writes without one', { timeout: 60_000 }, async () => {
  for (const options of [{ dryRun: true }, { strict: true }, {}]) {
    const { result, documents } = await runBoth('a.ndjson', mixed(0), options);
    const { created } = result.summary;
    expect(documents).toHaveLength(options.dryRun || options.strict ? 0 : created);
    const lines = result.rejections.map(({ line }: { line: number }) => line);
    expect(lines).toEqual([701, 901, RECORDS]);
  }
  const { result: updated, documents } = await runBoth('a.ndjson', mixed(1), {});
  expect(documents).toEqual([]);
  expect(updated.summary.updated).toBeGreaterThan(1_000);
  // The id of a broken record is unknown, so that nothing would be withdrawn.
  const valid = mixed(1)
    .split('\n')
    .filter((line) => !/noise|broken/.test(line));
  const half = valid.slice(0, 1_100).join('\n');
  const { result: pruned } = await runBoth('a.ndjson', half, { prune: true, pruneLimit: 1_000 });
  expect(pruned.summary.withdrawn).toBeGreaterThan(500);
  // One for each session: a dry run, the check of a strict import, and three imports.
  expect(threads).toBe(5);
});

it('reports a file that breaks off, with the line, after the records before it', async () => {
  const lines = ndjson(
    ...Array.from({ length: RECORDS }, (_, i) =>
      record(String(i), { releaseDate: '2020', padding: `${LONG}${Math.random()}` }),
    ),
  );
  const whole = gzipSync(lines, { level: 0 });
  const { result } = await runBoth('a.ndjson.gz', whole.subarray(0, -200_000), {});
  expect(result.summary.created).toBeGreaterThan(1_400);
  expect(result.rejections).toMatchObject([
    { reason: expect.stringContaining('the gzip data end too early') },
  ]);
  expect(threads).toBe(1);
});

it('ends with the error of the thread, which has ended', async () => {
  const path = await threaded.write('a.ndjson', mixed(0));
  const failing = threaded.run([path], {
    onReading: async () => {
      const { DatabaseSync } = await import('node:sqlite');
      const other = new DatabaseSync(`${threaded.folder}/stave.db`);
      other.exec('ALTER TABLE tracks RENAME TO gone');
      other.close();
    },
  });
  await expect(failing).rejects.toThrow(/no such table|gone/);
  expect(threads).toBe(1);
});

it('writes a small file without a thread', async () => {
  const path = await threaded.write('a.ndjson', ndjson(record('1')));
  expect((await threaded.run([path])).summary).toEqual(counts(1));
  expect(threads).toBe(0);
});
