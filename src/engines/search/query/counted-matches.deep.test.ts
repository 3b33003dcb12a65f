import { beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../../common/seeded-random.ts';
import { identity } from '../arbitrary-catalog.test-support.ts';
import type { IndexEntry, IndexQuery } from '../catalog-index.ts';
import { builtOver } from '../engine.test-support.ts';
import { NaiveIndex } from '../naive-index.test-support.ts';
import { track } from '../search-rules.test-support.ts';
import type { SegmentedIndex } from '../segmented-index.ts';

/** Words that contain each other, from frequent to rare ones. Many names have several of them. */
const WORDS = [
  ...['rain', 'train', 'rainy', "rain's", 'moonrain', 'rainmoon', 'moon', 'moons', 'night'],
  ...['xrain', 'trained', 'mo', 'nightmoons', 'rare'],
];
const TRACKS = 12_000;

const random = seededRandom('texts of one word');
/** The first words are the most frequent ones. */
const word = () => WORDS[Math.floor(random.next() ** 3 * WORDS.length)]!;
const entries = Array.from(
  { length: TRACKS },
  (_, i): IndexEntry =>
    track(i, {
      ...identity(i),
      name: Array.from({ length: random.integer(1, 4) }, word).join(' '),
      type: random.next() < 0.1 ? 'sfx' : 'music',
      hasVocals: random.next() < 0.4,
      releasedAt: random.integer(0, 4_000) * 86_400_000,
    }),
);

const TEXTS = [...WORDS, 'rai', 'ain', 'moo', 'oon', 'trai', 'ht', 'n', 'nig', 'moonr', 'unknown'];
const NARROWED: IndexQuery[] = [
  {},
  { type: 'sfx' },
  { hasVocals: true },
  { type: 'music', hasVocals: false },
];

function expectAlike(index: SegmentedIndex, naive: NaiveIndex): void {
  for (const text of TEXTS) {
    for (const rest of NARROWED) {
      const query = { text, ...rest };
      const { total, rowIds } = naive.search(query, { offset: 0, limit: TRACKS });
      for (const offset of [0, 7, 40, 700, Math.floor(total / 2), Math.max(0, total - 5)]) {
        expect(index.search(query, { offset, limit: 20 }), JSON.stringify(query)).toEqual({
          total,
          rowIds: rowIds.slice(offset, offset + 20),
        });
      }
      expect(index.search(query, { offset: 0, limit: 0 })).toEqual({ total, rowIds: [] });
    }
  }
}

let index: SegmentedIndex;
let naive: NaiveIndex;

beforeAll(() => {
  index = builtOver(entries.slice(0, TRACKS - 200), { mergeAtLeast: TRACKS });
  naive = new NaiveIndex(entries.slice(0, TRACKS - 200));
});

it('counts and pages the tracks of one word like NaiveIndex does', () => {
  expectAlike(index, naive);
});

it('counts and pages them like NaiveIndex does after tracks are removed and added', async () => {
  const removed = entries.filter((_, i) => i % 7 === 0).map(({ id }) => id);
  const added = entries.slice(TRACKS - 200);
  await index.apply(added, removed, 1);
  await naive.apply(added, removed);
  expectAlike(index, naive);
});
