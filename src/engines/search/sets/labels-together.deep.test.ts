import { beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../../common/seeded-random.ts';
import { filterId, identity } from '../arbitrary-catalog.test-support.ts';
import type { IndexEntry, IndexQuery } from '../catalog-index.ts';
import { builtOver } from '../engine.test-support.ts';
import { NaiveIndex } from '../naive-index.test-support.ts';
import type { SegmentedIndex } from '../segmented-index.ts';

/**
 * The share of tracks that have each filter: from half of them to so few that the index stores them as a
 * list.
 */
const SHARES = [0.5, 0.2, 0.05, 0.003, 0.002, 0.001];
const TRACKS = 16_000;

const random = seededRandom('labels together');
const entries = Array.from({ length: TRACKS }, (_, i): IndexEntry => {
  // A track that has one rare filter often has others as well.
  const isRare = random.next() < 0.01;
  const chance = (share: number) => (share < 0.01 ? (isRare ? 0.2 : share / 2) : share);
  return {
    ...identity(i),
    name: i % 5 === 0 ? 'Night Rain' : 'Morning',
    type: random.next() < 0.2 ? 'sfx' : 'music',
    hasVocals: random.next() < 0.4,
    releasedAt: i * 86_400_000,
    durationSeconds: random.integer(0, 300),
    bpm: random.integer(0, 200),
    songKeys: random.next() < 0.2 ? ['C major'] : [],
    filterIds: SHARES.flatMap((share, n) => (random.next() < chance(share) ? [filterId(n)] : [])),
    isrc: '',
    region: 'WORLD',
    artists: [],
    tags: [],
  };
});

/** Up to three filters, with every combination of the other restrictions. */
function* queries(): Generator<IndexQuery> {
  const filters = SHARES.map((_, n) => n);
  const lists = [
    [],
    ...filters.map((a) => [a]),
    ...filters.flatMap((a) => filters.filter((b) => b > a).map((b) => [a, b])),
    ...[
      [0, 1, 2],
      [0, 1, 3],
      [0, 3, 4],
      [2, 3, 4],
      [3, 4, 5],
      [0, 1, 2, 3, 4],
    ],
  ];
  const narrowed: IndexQuery[] = [
    {},
    { type: 'music' },
    { hasVocals: true },
    { type: 'sfx', hasVocals: false },
    { songKeys: ['C major'] },
    { durationMin: 100, durationMax: 250 },
    { bpmMin: 3, bpmMax: 4, durationMax: 290 },
    { releasedTo: 9_000 * 86_400_000 },
  ];
  for (const list of lists) {
    for (const rest of narrowed) {
      yield { ...(list.length > 0 && { filterIds: list.map(filterId) }), ...rest };
    }
  }
}

function expectAlike(index: SegmentedIndex, naive: NaiveIndex): void {
  const ids = entries.slice(0, 500).map(({ id }) => id);
  for (const query of queries()) {
    const { total, rowIds, facets } = naive.search(query, {
      offset: 0,
      limit: TRACKS,
      facets: true,
    });
    const offsets = [0, 7, Math.floor(total / 40), Math.floor(total / 2), Math.max(0, total - 5)];
    for (const offset of offsets) {
      expect(index.search(query, { offset, limit: 10 })).toEqual({
        total,
        rowIds: rowIds.slice(offset, offset + 10),
      });
    }
    const whole = index.search(query, { offset: 0, limit: TRACKS, facets: true });
    expect(whole).toEqual({ total, rowIds, facets });
    const byName = { offset: 3, limit: 10, sort: 'name' } as const;
    expect(index.search(query, byName)).toEqual(naive.search(query, byName));
    expect(index.locate(ids, query)).toEqual(naive.locate(ids, query));
  }
}

let index: SegmentedIndex;
let naive: NaiveIndex;

beforeAll(() => {
  index = builtOver(entries.slice(0, TRACKS - 100), { mergeAtLeast: TRACKS });
  naive = new NaiveIndex(entries.slice(0, TRACKS - 100));
});

it('finds, pages and counts tracks that share labels like NaiveIndex does', () => {
  expectAlike(index, naive);
});

it('finds, pages and counts them like NaiveIndex does after tracks are removed and added', async () => {
  const removed = entries.filter((_, i) => i % 11 === 0).map(({ id }) => id);
  const added = entries.slice(TRACKS - 100);
  await index.apply(added, removed, 1);
  await naive.apply(added, removed);
  expectAlike(index, naive);
});
