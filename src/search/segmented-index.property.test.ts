import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  change,
  entry,
  filterId,
  firstIds,
  oddName,
  plainName,
  popularity,
  recipe,
  tracksOf,
} from './arbitrary-catalog.test-support.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import {
  askedFrom,
  begin,
  catalog,
  expectAlike,
  expectEqual,
  expectPagesAlike,
  FEW,
  kernelFrom,
  MANY,
  type Question,
  question,
  RUNS,
  step,
  WHOLE,
} from './segmented-index.test-support.ts';

/** Of what takes long. */
const FEW_RUNS = Math.ceil(RUNS / 5);
/** A failure takes long to shrink. */
const TIMEOUT = 120_000 + RUNS * 500;

let seq = 0;

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
              const { total, rowIds, facets } = naive.search(query, { ...WHOLE, sort });
              for (let part = 0; part < 60; part++) {
                const offset = Math.floor((total * part) / 60);
                const page = { total, rowIds: rowIds.slice(offset, offset + limit) };
                expectEqual(index.search(query, { offset, limit, sort }), page);
              }
              expectEqual(index.search(query, { ...WHOLE, sort }), { total, rowIds, facets });
            }
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / 50) },
    );
  });
});
