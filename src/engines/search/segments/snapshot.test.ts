import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildSegment } from '../build/segment-builder.ts';
import { runSteps } from '../build/steps.ts';
import type { IndexEntry } from '../catalog-index.ts';
import { SegmentedIndex } from '../segmented-index.ts';
import type { SegmentColumns } from './columns.ts';
import { Segment } from './segment.ts';
import { countMemory, IndexSnapshotFile } from './snapshot.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-snapshot-'));
  path = join(folder, 'index.snapshot');
});
afterEach(() => rm(folder, { recursive: true }));

const NAMES = ['Night Ferry', 'Nightfall', 'Ständchen', '夜の静けさ', '***', 'Ferry to the Night'];

function entryOf(i: number): IndexEntry {
  return {
    rowId: i + 1,
    id: `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`,
    name: NAMES[i % NAMES.length]!,
    type: i % 3 === 0 ? 'sfx' : 'music',
    hasVocals: i % 2 === 0,
    releasedAt: 1_700_000_000_000 - (i % 7) * 86_400_000,
    durationSeconds: i % 5 === 0 ? 0 : 30 + i,
    bpm: i % 4 === 0 ? 0 : 90.5 + i,
    songKeys: i % 2 === 0 ? ['C major'] : [],
    filterIds: [`f0000000-0000-4000-8000-00000000000${i % 4}`],
    region: i % 3 === 0 ? 'DE' : 'WORLD',
    isrc: i % 6 === 0 ? `USUAN11${String(i).padStart(5, '0')}` : '',
    artists: [`Artist ${i % 7}`, "Don't"].slice(0, 1 + (i % 2)),
    tags: i % 3 === 0 ? [`tag ${i % 5}`] : [],
  };
}

function columnsOver(size: number, kernelFrom: number): SegmentColumns {
  const entries = Array.from({ length: size }, (_, i) => entryOf(i));
  return runSteps(buildSegment(entries, 41, { kernelFrom }));
}

const file = (madeBy = 'stave 1') => new IndexSnapshotFile({ path, madeBy });
const of = { catalog: 'this one, at 41', asOf: 1_700_000_000_000 };

const QUERIES = [
  {},
  { text: 'night' },
  { text: 'nihgt' },
  { text: '*' },
  { text: '静' },
  { filterIds: ['f0000000-0000-4000-8000-000000000001'], hasVocals: false },
  { bpmMin: 100, bpmMax: 140, songKeys: ['c MAJOR'] },
  { isrc: 'USUAN1100006' },
  { regions: ['DE'] },
  { text: 'artist 3 tag', in: ['artists', 'tags'] as const },
  { text: 'dont', in: ['artists'] as const },
];

describe('a snapshot of the index', () => {
  it.each([
    ['few tracks', 50, 65_536],
    ['so many tracks that the bit kernel is used', 2_000, 0],
  ])('is read as it was written, with %s', async (_, size, kernelFrom) => {
    const columns = columnsOver(size, kernelFrom);
    await file().write(columns, of);
    const reading = await file().read();
    expect(reading).toMatchObject(of);
    const { columns: read } = reading as { columns: SegmentColumns };
    expect(read.meta).toEqual(columns.meta);
    const [before, after] = [columns, read].map((one) => new SegmentedIndex(new Segment(one)));
    for (const query of QUERIES) {
      for (const sort of ['relevance', 'name', 'bpm', 'duration'] as const) {
        const page = { offset: 0, limit: 1_000, sort, facets: true };
        expect(after!.search(query, page)).toEqual(before!.search(query, page));
      }
    }
  });

  it('is absent if there is no file', async () => {
    expect(await file().read()).toEqual({ absent: true });
  });

  it('is refused if another version wrote it', async () => {
    await file('stave 1').write(columnsOver(10, 0), of);
    expect(await file('stave 2').read()).toEqual({
      refused: 'it was written by another version, stave 1',
    });
  });

  it('is refused by its head, without its columns being read', async () => {
    await file().write(columnsOver(200, 0), of);
    await writeFile(path, 'bytes that make the length wrong', { flag: 'a' });
    const refused = await file().read(async ({ catalog, asOf, meta }) =>
      JSON.stringify([catalog, asOf, meta.size, meta.seq]),
    );
    expect(refused).toEqual({ refused: JSON.stringify([of.catalog, of.asOf, 200, 41]) });
    const failure = new Error('the store is away');
    await expect(file().read(() => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('is refused if it is truncated at any position', async () => {
    await file().write(columnsOver(200, 0), of);
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        await writeFile(path, whole);
        await truncate(path, length);
        expect(await file().read()).toEqual({ refused: expect.any(String) });
      }),
      { numRuns: 50 },
    );
  });

  it('is refused if any byte is changed, or if bytes follow it', async () => {
    await file().write(columnsOver(200, 0), of);
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const damaged = Buffer.from(whole);
          damaged[at] = damaged[at]! ^ by;
          await writeFile(path, damaged);
          expect(await file().read()).toEqual({ refused: expect.any(String) });
        },
      ),
      { numRuns: 100 },
    );
    await writeFile(path, Buffer.concat([whole, Buffer.from('x')]));
    expect(await file().read()).toEqual({ refused: 'its length is wrong' });
  });

  it('replaces the previous snapshot, and leaves no other file', async () => {
    await file().write(columnsOver(10, 0), of);
    await file().write(columnsOver(20, 0), { ...of, catalog: 'later' });
    expect(await file().read()).toMatchObject({ catalog: 'later' });
    expect(await readdir(folder)).toEqual(['index.snapshot']);
  });

  it('is kept by `clearUp`, which removes only the unfinished files of a crash', async () => {
    await file().write(columnsOver(10, 0), of);
    await writeFile(`${path}.0a1b2c.unfinished`, 'half');
    await writeFile(join(folder, 'other.unfinished'), 'not ours');
    await file().clearUp();
    expect((await readdir(folder)).sort()).toEqual(['index.snapshot', 'other.unfinished']);
  });

  it('is read although an unfinished file cannot be removed', async () => {
    await file().write(columnsOver(20, 0), of);
    await mkdir(`${path}.0a1b2c.unfinished`);
    await file().clearUp();
    expect(await file().read()).toMatchObject({ catalog: of.catalog });
    await new IndexSnapshotFile({
      path: join(folder, 'missing', 'x'),
      madeBy: 'stave 1',
    }).clearUp();
  });

  it('is refused without an exception if its path cannot be read', async () => {
    await mkdir(path);

    expect(await file().read()).toEqual({ refused: expect.stringContaining('EISDIR') });
  });
});

it('counts the memory of a large segment once, and does not count that of a small segment', () => {
  const counted = () => process.memoryUsage().arrayBuffers;
  const large = runSteps(buildSegment([], 0));
  large.tracks.names = new Uint8Array(new SharedArrayBuffer(500_000_000));
  const small = runSteps(buildSegment([], 0));
  const before = counted();

  countMemory(small);
  expect(counted() - before).toBeLessThan(100_000_000);
  countMemory(large);
  countMemory(large);
  expect(counted() - before).toBeGreaterThan(400_000_000);
  expect(counted() - before).toBeLessThan(600_000_000);
});
