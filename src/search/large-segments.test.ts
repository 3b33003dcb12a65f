import { expect, it } from 'vitest';
import type { IndexEntry } from '../catalog/catalog-index.ts';
import { identity } from './arbitrary-catalog.test-support.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';

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
    artists: [],
    tags: [],
  };
}

it('returns the pages of NaiveIndex in every order from several segments of thousands of tracks', async () => {
  const entries = Array.from({ length: 6_000 }, (_, i) => entryOf(i));
  const index = builtOver(entries.slice(0, 3_500), { mergeAtLeast: 100_000 });
  const removed = entries.slice(0, 300).map(({ id }) => id);
  await index.apply(entries.slice(3_000, 4_700), removed, 1);
  await index.apply(entries.slice(4_500, 5_600), [], 2);
  await index.apply(entries.slice(5_600), [], 3);
  const naive = new NaiveIndex(entries.slice(300));
  const licensed = new Map(entries.slice(0, 5_000).map(({ id }, i) => [id, i % 5]));
  await Promise.all([index.setPopularity('live', licensed), naive.setPopularity('live', licensed)]);

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
});
