import { expect, it } from 'vitest';
import { identity } from './arbitrary-catalog.test-support.ts';
import type { IndexEntry } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import type { SegmentedIndex } from './segmented-index.ts';

const NAMES = ['Rain', 'Night Rain', 'morning', '...', 'Moon over the Rain', '夜の歌'];

function entryOf(i: number): IndexEntry {
  return {
    ...identity(i),
    name: NAMES[(i * 7) % NAMES.length]!,
    type: i % 3 === 0 ? 'sfx' : 'music',
    hasVocals: false,
    releasedAt: ((i * 31) % 997) * 86_400_000,
    durationSeconds: (i * 13) % 401,
    bpm: (i * 17) % 199,
    songKeys: [],
    filterIds: [],
    isrc: '',
    region: 'WORLD',
    artists: [],
    tags: [],
  };
}

const entries = Array.from({ length: 6_000 }, (_, i) => entryOf(i));
const licensed = new Map(entries.slice(0, 5_000).map(({ id }, i) => [id, i % 5]));

function expectPagesAlike(index: SegmentedIndex, naive: NaiveIndex): void {
  for (const query of [{}, { type: 'music' as const }, { text: 'rain' }]) {
    for (const sort of ['relevance', 'newest', 'oldest', 'name', 'bpm', 'popular'] as const) {
      const request = { sort, popularity: 'live' };
      const { total, rowIds } = naive.search(query, { ...request, offset: 0, limit: 10_000 });
      for (let offset = 0; offset < total + 20; offset += 149) {
        const page = index.search(query, { ...request, offset, limit: 20 });
        expect(page).toEqual({ total, rowIds: rowIds.slice(offset, offset + 20) });
      }
    }
  }
}

it('returns the pages of NaiveIndex in every order from several segments of thousands of tracks', async () => {
  const index = builtOver(entries.slice(0, 3_500), { mergeAtLeast: 100_000 });
  const removed = entries.slice(0, 300).map(({ id }) => id);
  await index.apply(entries.slice(3_000, 4_700), removed, 1);
  await index.apply(entries.slice(4_500, 5_600), [], 2);
  await index.apply(entries.slice(5_600), [], 3);
  const naive = new NaiveIndex(entries.slice(300));
  await Promise.all([index.setPopularity('live', licensed), naive.setPopularity('live', licensed)]);
  expectPagesAlike(index, naive);
});

it('returns the same after one change of so many tracks that tombstones are not added in place', async () => {
  const index = builtOver(entries.slice(0, 5_500), { mergeAtLeast: 100_000 });
  const naive = new NaiveIndex(entries);
  await Promise.all([index.setPopularity('live', licensed), naive.setPopularity('live', licensed)]);
  const removed = entries.slice(20, 60).map(({ id }) => id);
  const changed = entries.slice(500).map((entry) => ({ ...entry, name: 'Rain at last' }));
  await Promise.all([index.apply([], removed, 1), naive.apply([], removed)]);
  const applied = index.apply(changed, [], 2);
  index.hide([entries[7]!.id, entries[5_400]!.id], 3);
  await applied;
  await naive.apply(changed, [entries[7]!.id]);
  await naive.apply([], [entries[5_400]!.id]);
  expectPagesAlike(index, naive);
});
