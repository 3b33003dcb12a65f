import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexEntry, IndexQuery } from '../catalog/catalog-index.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import { buildSegment, catalogOrder } from './segment.ts';
import { SegmentedIndex } from './segmented-index.ts';
import { completed } from './steps.ts';

const ids = Array.from({ length: 40 }, (_, i) => `00000000-0000-4000-8000-0000000000${10 + i}`);
const filterIds = ['f1', 'f2', 'f3', 'f4'];

/** Few different letters, so that words meet, begin and contain each other, and typos abound. */
const word = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 }) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 10 }),
  },
  fc.string({ unit: fc.constantFrom('夜', '静', 'か', 'が', '\u3099', '𠮷', '𠮸'), maxLength: 5 }),
  fc.constantFrom('á', 'A\u0301b', "a'b", 'Æ', 'ß', 'ss', 'กำ', 'ก', '™', 'tm', 'ﾞ', '1', '٣'),
);
const symbols = fc.constantFrom('-', '...', '.', '* *', '_', '’', '´', '\u0301', '❤', ' ', '™');
const name = fc
  .array(fc.oneof({ weight: 4, arbitrary: word }, symbols), { maxLength: 5 })
  .chain((parts) => fc.constantFrom('', ' ', ' ', ' - ').map((gap) => parts.join(gap)));

const entry: fc.Arbitrary<IndexEntry> = fc.record({
  id: fc.constantFrom(...ids),
  name,
  type: fc.constantFrom('music', 'sfx'),
  hasVocals: fc.boolean(),
  // So few that ties abound; before 1970 too.
  releasedAt: fc.constantFrom(-86_400_000, 0, 1, 1_700_000_000_000),
  filterIds: fc.subarray(filterIds),
  isrc: fc.constantFrom('', '', 'USUAN1100001', 'USUAN1100003'),
});

const query: fc.Arbitrary<IndexQuery> = fc.record(
  {
    text: name,
    type: fc.constantFrom('music', 'sfx'),
    hasVocals: fc.boolean(),
    filterIds: fc.subarray([...filterIds, 'unknown'], { maxLength: 2 }),
    isrc: fc.constantFrom('USUAN1100001', 'GBAAA0000000'),
  },
  { requiredKeys: [] },
);
/** Nearly always a text, seldom filters: otherwise hardly anything would match. */
const textQuery = fc.record(
  { text: name, type: fc.constantFrom('music' as const), filterIds: fc.constant(['f1']) },
  { requiredKeys: ['text'] },
);
const anyQuery = fc.oneof(query, { weight: 3, arbitrary: textQuery });
const change = fc.record({
  upserts: fc.array(entry, { maxLength: 6 }),
  removed: fc.subarray(ids, { maxLength: 5 }),
});

/** Thousands where there is time for it: `STAVE_TEST_RUNS=5000`. */
const RUNS = Number(process.env.STAVE_TEST_RUNS ?? 300);

function builtOver(
  entries: readonly IndexEntry[],
  options: { mergeAtLeast?: number } = {},
): SegmentedIndex {
  const byId = new Map(entries.map((one) => [one.id, one]));
  const sorted = [...byId.values()].sort(catalogOrder);
  return new SegmentedIndex(completed(buildSegment(sorted)), options);
}

/** Whole names, pieces of them, and pieces with a typo, so that something matches. */
function askedFrom(entries: readonly IndexEntry[]): IndexQuery[] {
  return entries
    .slice(0, 3)
    .flatMap(({ name: text }) => [
      { text },
      { text: [...text].slice(1, 5).join('') },
      { text: text.replace('a', 'bx') },
    ]);
}

function nonZero(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].filter(([, count]) => count !== 0).sort());
}

function expectAlike(index: SegmentedIndex, naive: NaiveIndex, questions: readonly IndexQuery[]) {
  expect(index.size).toBe(naive.size);
  expect(nonZero(index.filterCounts())).toEqual(nonZero(naive.filterCounts()));
  for (const question of questions) {
    const whole = naive.search(question, 0, 100);
    expect(index.search(question, 0, 100)).toEqual(whole);
    for (const limit of [0, 1, 3]) {
      for (let offset = 0; offset <= whole.total + 1; offset += Math.max(1, limit)) {
        expect(index.search(question, offset, limit)).toEqual({
          total: whole.total,
          ids: whole.ids.slice(offset, offset + limit),
        });
      }
    }
    expect(index.retain(ids, question)).toEqual(naive.retain(ids, question));
  }
}

describe('the index and the rules written plainly', () => {
  it('answer alike, through any changes, and as before until one is taken in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 30 }),
        fc.array(anyQuery, { minLength: 1, maxLength: 5 }),
        fc.array(change, { maxLength: 2 }),
        async (entries, questions, changes) => {
          const index = builtOver(entries);
          const naive = new NaiveIndex(entries);
          const all = [...questions, ...askedFrom(entries)];
          expectAlike(index, naive, all);
          for (const { upserts, removed } of changes) {
            const taken = index.apply(upserts, removed);
            expectAlike(index, naive, all);
            await taken;
            naive.apply(upserts, removed);
            expectAlike(index, naive, all);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('answer alike while and after the delta is merged into the base', async () => {
    const step = fc.record({ change, wait: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        fc.array(anyQuery, { minLength: 1, maxLength: 4 }),
        fc.array(step, { minLength: 2, maxLength: 6 }),
        async (entries, questions, steps) => {
          const index = builtOver(entries, { mergeAtLeast: 2 });
          const naive = new NaiveIndex(entries);
          for (const { change, wait } of steps) {
            await index.apply(change.upserts, change.removed);
            naive.apply(change.upserts, change.removed);
            if (wait) {
              await index.settled();
            }
            expectAlike(index, naive, questions);
          }
          await index.settled();
          expectAlike(index, naive, questions);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
