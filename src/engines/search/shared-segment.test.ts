import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { SearchWork } from '../../../test/harness/programs/search-thread.ts';
import { filterId, identity } from './arbitrary-catalog.test-support.ts';
import { buildSegment } from './build/segment-builder.ts';
import { runSteps } from './build/steps.ts';
import type { IndexEntry, IndexQuery } from './catalog-index.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import { SegmentedIndex } from './segmented-index.ts';
import { Segment } from './segments/segment.ts';

const NAMES = ['Rain', 'Night Rain', 'morning', 'Moon over the Rain', 'Night'];

function entryOf(i: number): IndexEntry {
  return {
    ...identity(i),
    name: NAMES[i % NAMES.length]!,
    type: i % 3 === 0 ? 'sfx' : 'music',
    hasVocals: i % 2 === 0,
    releasedAt: i * 86_400_000,
    durationSeconds: i % 401,
    bpm: 0,
    songKeys: [],
    filterIds: [filterId(i % 2), filterId(2 + (i % 3))],
    isrc: '',
    region: 'WORLD',
    artists: [],
    tags: [],
  };
}

const QUERIES: IndexQuery[] = [
  {},
  { text: 'night rain' },
  { text: 'rian' },
  { filterIds: [filterId(0), filterId(2)] },
  { text: 'rain', filterIds: [filterId(1)], hasVocals: false },
];

const entries = Array.from({ length: 4_000 }, (_, i) => entryOf(i));
const options = { kernelFrom: 0, mergeAtLeast: 100_000 };
const page = { offset: 0, limit: 50 };
/** The ids of the tracks that each index removes. */
const removed = [0, 1, 2].map((one) =>
  entries.filter((_, i) => i % 7 === one || i % 11 === one).map(({ id }) => id),
);
const right = removed.map((ids) => {
  const without = new Set(ids);
  const naive = new NaiveIndex(entries.filter(({ id }) => !without.has(id)));
  return QUERIES.map((query) => naive.search(query, page));
});

function segmentOfAll() {
  const columns = runSteps(buildSegment(entries, 0, options));
  expect(columns.memory).toBeDefined();
  return columns;
}

it('lets several indexes search one segment, each with its own changes', async () => {
  const columns = segmentOfAll();
  const indexes = removed.map(() => new SegmentedIndex(new Segment(columns), options));
  for (const [i, ids] of removed.entries()) await indexes[i]!.apply([], ids, 1);
  for (const [q, query] of QUERIES.entries()) {
    for (const [i, index] of indexes.entries()) {
      expect(index.search(query, page)).toEqual(right[i]![q]);
    }
  }
});

it('lets several threads search one segment at the same time', async () => {
  const columns = segmentOfAll();
  const module = new URL('../../../test/harness/programs/search-thread.ts', import.meta.url);
  const threads = removed.map((ids) => {
    const work = { columns, gone: ids, queries: QUERIES, page, options, times: 300 };
    return new Worker(module, { workerData: work satisfies SearchWork });
  });
  const found = await Promise.all(threads.map((thread) => once(thread, 'message')));
  expect(found.map(([pages]) => pages)).toEqual(
    right.map((pages) => pages.map((one) => [JSON.stringify(one)])),
  );
});
