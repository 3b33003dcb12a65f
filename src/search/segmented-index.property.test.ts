import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type IndexEntry,
  type IndexQuery,
  TRACK_SORTS,
  type TrackSort,
} from '../catalog/catalog-index.ts';
import {
  type Change,
  change,
  entry,
  filterId,
  firstIds,
  oddName,
  type Popularity,
  plainName,
  popularity,
  query,
  recipe,
  sort,
  tracksOf,
} from './arbitrary-catalog.test-support.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import type { SegmentedIndex } from './segmented-index.ts';

/** Thousands where there is time for it: `STAVE_TEST_RUNS=5000`. */
const RUNS = Number(process.env.STAVE_TEST_RUNS ?? 100);
/** Of what takes long. */
const FEW_RUNS = Math.ceil(RUNS / 5);
/** A failure takes long to shrink. */
const TIMEOUT = 120_000 + RUNS * 500;

/** So few ids that changes meet. */
const FEW = 40;
const MANY = 1_700;

/** What is asked, with the order and the page to ask for when not all of them are. */
interface Question {
  query: IndexQuery;
  sort: TrackSort;
  popularity: string | undefined;
  offset: number;
  limit: number;
}

function question(name: fc.Arbitrary<string>): fc.Arbitrary<Question> {
  return fc.record({
    query: query(name),
    sort,
    popularity: fc.constantFrom('live', 'test', 'unheard of', undefined),
    offset: fc.nat(MANY),
    limit: fc.nat(120),
  });
}

/** Few tracks with odd names. */
function catalog(maxLength: number): fc.Arbitrary<IndexEntry[]> {
  return fc.uniqueArray(entry(oddName, FEW), { maxLength, selector: ({ id }) => id });
}

/** From which size on common pieces of words are kept otherwise: at once, or never here. */
const kernelFrom = fc.constantFrom(0, 65_536);

/** What is done to an index: all of it is begun at once, each in its turn. */
interface Step {
  changes: (Change | Popularity)[];
  /** Whether to wait for what goes on in the background. */
  settle: boolean;
}

function step(name: fc.Arbitrary<string>, among: number): fc.Arbitrary<Step> {
  return fc.record({
    changes: fc.array(fc.oneof({ weight: 3, arbitrary: change(name, among) }, popularity(among)), {
      minLength: 1,
      maxLength: 3,
    }),
    settle: fc.boolean(),
  });
}

let seq = 0;

const WHOLE = { offset: 0, limit: 1_000_000, facets: true };

function begin(index: SegmentedIndex | NaiveIndex, { changes }: Step): Promise<unknown> {
  return Promise.all(
    changes.map((one) =>
      'upserts' in one
        ? index.apply(one.upserts, one.removed, ++seq)
        : index.setPopularity(one.name, one.counts),
    ),
  );
}

/** Whole names, pieces of them, and pieces with a typo, so that something matches. */
function askedFrom(entries: readonly IndexEntry[]): Question[] {
  return entries
    .slice(0, 3)
    .flatMap(({ name: text }) => [
      { text },
      { text: [...text].slice(1, 5).join('') },
      { text: text.replace('a', 'bx') },
    ])
    .map((query, i) => ({
      query,
      sort: TRACK_SORTS[i % 7]!,
      popularity: 'live',
      offset: i,
      limit: i,
    }));
}

function nonZero(counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].filter(([, count]) => count !== 0));
}

/** `toEqual`, which is slow, only where there is a difference to show. */
function expectEqual<T>(actual: T, expected: T) {
  if (!isDeepStrictEqual(actual, expected)) {
    expect(actual).toEqual(expected);
  }
}

/** In every order the whole, and what else the port can be asked. */
function expectAlike(index: SegmentedIndex, naive: NaiveIndex, questions: readonly Question[]) {
  expect(index.size).toBe(naive.size);
  expect(nonZero(index.filterCounts())).toEqual(naive.filterCounts());
  const ids = [...firstIds(naive.size + FEW), '00000000-0000-4000-8000-00000000000a'];
  for (const { query, popularity, offset, limit } of questions) {
    for (const sort of TRACK_SORTS) {
      const order = { sort, popularity };
      const whole = naive.search(query, { ...order, offset: 0, limit: MANY, facets: true });
      expectEqual(index.search(query, { ...order, offset: 0, limit: MANY, facets: true }), whole);
      expectEqual(index.search(query, { ...order, offset, limit }), {
        total: whole.total,
        tracks: whole.tracks.slice(offset, offset + limit),
      });
    }
    expectEqual(index.locate(ids, query), naive.locate(ids, query));
    const { text = '' } = query;
    for (const most of [0, 1, 3, MANY]) {
      expectEqual(index.suggest(text, most), naive.suggest(text, most));
    }
  }
}

/** In one order every page of some sizes. */
function expectPagesAlike(
  index: SegmentedIndex,
  naive: NaiveIndex,
  questions: readonly Question[],
) {
  for (const { query, sort, popularity } of questions) {
    const { total, tracks, facets } = naive.search(query, {
      offset: 0,
      limit: MANY,
      sort,
      popularity,
      facets: true,
    });
    for (const limit of [0, 1, 3]) {
      for (let offset = 0; offset <= total + 1; offset += Math.max(1, limit)) {
        const asked = { offset, limit, sort, popularity };
        const page = { total, tracks: tracks.slice(offset, offset + limit) };
        expectEqual(index.search(query, asked), page);
        expectEqual(index.search(query, { ...asked, facets: true }), { ...page, facets });
      }
    }
    const tooFar = { offset: 2_147_483_647 * 100, limit: 100, sort, popularity };
    expectEqual(index.search(query, tooFar), { total, tracks: [] });
  }
}

describe('the index and the rules written plainly', { timeout: TIMEOUT }, () => {
  it('answer alike, through any changes, and as before until one is taken in', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog(30),
        fc.array(question(oddName), { minLength: 1, maxLength: 5 }),
        fc.array(change(oddName, FEW), { maxLength: 2 }),
        popularity(FEW),
        kernelFrom,
        async (entries, questions, changes, { name, counts }, kernelFrom) => {
          const index = builtOver(entries, { kernelFrom });
          const naive = new NaiveIndex(entries);
          const all = [...questions, ...askedFrom(entries)];
          await Promise.all([index.setPopularity(name, counts), naive.setPopularity(name, counts)]);
          expectAlike(index, naive, all);
          expectPagesAlike(index, naive, all);
          for (const { upserts, removed } of changes) {
            const taken = index.apply(upserts, removed, ++seq);
            expectAlike(index, naive, all);
            await taken;
            await naive.apply(upserts, removed);
            expectAlike(index, naive, all);
            expectPagesAlike(index, naive, all);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('answer alike while and after the delta is merged into the base', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog(12),
        fc.array(question(oddName), { minLength: 1, maxLength: 4 }),
        fc.array(step(oddName, FEW), { minLength: 2, maxLength: 6 }),
        kernelFrom,
        async (entries, questions, steps, kernelFrom) => {
          const index = builtOver(entries, { mergeAtLeast: 2, kernelFrom });
          const naive = new NaiveIndex(entries);
          for (const one of steps) {
            await Promise.all([begin(index, one), begin(naive, one)]);
            if (one.settle) {
              await index.settled();
            }
            expectAlike(index, naive, questions);
          }
          await index.settled();
          expectAlike(index, naive, questions);
          expectPagesAlike(index, naive, questions);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('answer alike over many tracks of few words, with long lists and short ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.array(question(plainName), { minLength: 1, maxLength: 4 }),
        fc.array(step(plainName, MANY), { maxLength: 3 }),
        kernelFrom,
        async (manyTracks, questions, steps, kernelFrom) => {
          const entries = tracksOf(manyTracks);
          const index = builtOver(entries, { mergeAtLeast: 10, kernelFrom });
          const naive = new NaiveIndex(entries);
          expectAlike(index, naive, questions);
          for (const one of steps) {
            await Promise.all([begin(index, one), begin(naive, one)]);
            expectAlike(index, naive, questions);
          }
          await index.settled();
          expectAlike(index, naive, questions);
        },
      ),
      { numRuns: FEW_RUNS },
    );
  });

  it('answer alike when most of what had a filter is gone, and nothing is merged yet', async () => {
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.array(question(plainName), { minLength: 1, maxLength: 4 }),
        fc.array(fc.record({ filter: fc.nat(5), left: fc.nat(6) }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(entry(plainName, MANY), { maxLength: 40 }),
        kernelFrom,
        async (manyTracks, questions, leaving, upserts, kernelFrom) => {
          const entries = tracksOf(manyTracks);
          const index = builtOver(entries, {
            mergeAtLeast: Number.POSITIVE_INFINITY,
            kernelFrom,
          });
          const naive = new NaiveIndex(entries);
          const gone = leaving.flatMap(({ filter, left }) =>
            entries.filter(({ filterIds }) => filterIds.includes(filterId(filter))).slice(left),
          );
          const removed = gone.map(({ id }) => id);
          await Promise.all([index.apply(upserts, removed, ++seq), naive.apply(upserts, removed)]);
          const narrow = leaving.map(({ filter }, i): Question => {
            const filterIds = [filter, 6 + i].map(filterId);
            return {
              query: { filterIds },
              sort: 'newest',
              popularity: 'live',
              offset: 0,
              limit: 9,
            };
          });
          expectAlike(index, naive, [...questions, ...narrow]);
        },
      ),
      { numRuns: FEW_RUNS },
    );
  });

  it('answer alike over so many tracks that an index goes through them in blocks', async () => {
    /** Next to the questions drawn, for the second filter is on one track in thousands here. */
    const rare = [{ filterIds: [7] }, { filterIds: [0, 7] }, { filterIds: [7], text: 'n' }].map(
      ({ filterIds, ...query }) => ({ ...query, filterIds: filterIds.map(filterId) }),
    );
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.integer({ min: 1_000, max: 9_000 }),
        fc.constantFrom(16_384, 16_385, 40_000),
        fc.array(question(plainName), { minLength: 12, maxLength: 12 }),
        fc.array(entry(plainName, 40_000), { minLength: 20, maxLength: 40 }),
        kernelFrom,
        async (kinds, stride, count, questions, upserts, kernelFrom) => {
          const entries = tracksOf({ ...kinds, strides: [37, stride], count });
          const index = builtOver(entries, { kernelFrom });
          const naive = new NaiveIndex(entries);
          for (const removed of [[], firstIds(count).filter((_, i) => i % 64 < 9)]) {
            await Promise.all([
              index.apply(upserts, removed, ++seq),
              naive.apply(upserts, removed),
            ]);
            for (const [i, { query: drawn, sort, limit }] of questions.entries()) {
              const query = rare[i] ?? drawn;
              const { total, tracks, facets } = naive.search(query, { ...WHOLE, sort });
              for (let part = 0; part < 60; part++) {
                const offset = Math.floor((total * part) / 60);
                const page = { total, tracks: tracks.slice(offset, offset + limit) };
                expectEqual(index.search(query, { offset, limit, sort }), page);
              }
              expectEqual(index.search(query, { ...WHOLE, sort }), { total, tracks, facets });
            }
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / 50) },
    );
  });
});
