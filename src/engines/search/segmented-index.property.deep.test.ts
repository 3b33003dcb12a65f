import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
import type { IndexEntry } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import {
  begin,
  catalog,
  changedSegmentOf,
  expectAlike,
  expectEqual,
  expectPagesAlike,
  FEW,
  kernelFrom,
  MANY,
  RUNS,
  rebuildUpTo,
  type Search,
  search,
  searchesFrom,
  step,
  WHOLE,
} from './segmented-index.test-support.ts';

/** The number of runs of slow properties. */
const FEW_RUNS = Math.ceil(RUNS / 5);
/** Shrinking a failure takes long. */
const TIMEOUT = 400_000 + RUNS * 500;

let seq = 0;

describe('SegmentedIndex and NaiveIndex', { timeout: TIMEOUT }, () => {
  it('return the same after any changes, and the previous results until a change is applied', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog(30),
        fc.array(search(oddName), { minLength: 1, maxLength: 5 }),
        fc.array(change(oddName, FEW), { maxLength: 4 }),
        popularity(FEW),
        kernelFrom,
        rebuildUpTo,
        async (entries, searches, changes, { name, counts }, kernelFrom, rebuildUpTo) => {
          const index = builtOver(entries, { kernelFrom, rebuildUpTo });
          const naive = new NaiveIndex(entries);
          const all = [...searches, ...searchesFrom(entries)];
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

  it('return the same during and after a merge', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog(12),
        fc.array(search(oddName), { minLength: 1, maxLength: 4 }),
        fc.array(step(oddName, FEW), { minLength: 2, maxLength: 6 }),
        kernelFrom,
        rebuildUpTo,
        fc.constantFrom(2, Number.POSITIVE_INFINITY),
        async (entries, searches, steps, kernelFrom, rebuildUpTo, mergeAtLeast) => {
          const index = builtOver(entries, { mergeAtLeast, kernelFrom, rebuildUpTo });
          const naive = new NaiveIndex(entries);
          for (const one of steps) {
            await Promise.all([begin(index, one), begin(naive, one)]);
            if (one.settle) {
              await index.settled();
            }
            expectAlike(index, naive, searches);
          }
          await index.settled();
          expectAlike(index, naive, searches);
          expectPagesAlike(index, naive, searches);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('return the same after changes that are taken in together, and of which some were hidden before', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog(12),
        fc.array(search(oddName), { minLength: 1, maxLength: 4 }),
        fc.array(
          fc.record({
            change: change(oddName, FEW),
            together: fc.boolean(),
            early: fc.constantFrom('nothing', 'removals', 'removals and additions'),
          }),
          { minLength: 2, maxLength: 8 },
        ),
        kernelFrom,
        rebuildUpTo,
        async (entries, searches, steps, kernelFrom, rebuildUpTo) => {
          const changed = new Map<string, IndexEntry | undefined>();
          const index = builtOver(entries, {
            ...{ mergeAtLeast: 2, kernelFrom, rebuildUpTo },
            changes: async () => changedSegmentOf(changed, seq),
          });
          const naive = new NaiveIndex(entries);
          for (const { change, together, early } of steps) {
            const { upserts, removed } = change;
            seq++;
            changed.clear();
            for (const id of removed) changed.set(id, undefined);
            for (const entry of upserts) changed.set(entry.id, entry);
            if (early !== 'nothing') {
              await naive.apply([], removed);
              index.hide(removed, seq);
              expectAlike(index, naive, searches);
            }
            await naive.apply(upserts, removed);
            if (early === 'removals and additions') {
              index.show(upserts.map((entry) => ({ entry, seq })));
              expectAlike(index, naive, searches);
            }
            if (together) expect(await index.catchUp(async () => {})).toBe(seq);
            else await index.apply(upserts, removed, seq);
            expectAlike(index, naive, searches);
          }
          await index.settled();
          expectAlike(index, naive, searches);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('return the same for many tracks with few words, with long and short lists of postings', async () => {
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.array(search(plainName), { minLength: 1, maxLength: 4 }),
        fc.array(step(plainName, MANY), { maxLength: 3 }),
        kernelFrom,
        rebuildUpTo,
        async (manyTracks, searches, steps, kernelFrom, rebuildUpTo) => {
          const entries = tracksOf(manyTracks);
          const index = builtOver(entries, { mergeAtLeast: 10, kernelFrom, rebuildUpTo });
          const naive = new NaiveIndex(entries);
          expectAlike(index, naive, searches);
          for (const one of steps) {
            await Promise.all([begin(index, one), begin(naive, one)]);
            expectAlike(index, naive, searches);
          }
          await index.settled();
          expectAlike(index, naive, searches);
        },
      ),
      { numRuns: FEW_RUNS },
    );
  });

  it('return the same if most tracks of a filter are removed, before a merge', async () => {
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.array(search(plainName), { minLength: 1, maxLength: 4 }),
        fc.array(fc.record({ filter: fc.nat(5), left: fc.nat(6) }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(entry(plainName, MANY), { maxLength: 40 }),
        kernelFrom,
        async (manyTracks, searches, leaving, upserts, kernelFrom) => {
          const entries = tracksOf(manyTracks);
          const index = builtOver(entries, {
            mergeAtLeast: Number.POSITIVE_INFINITY,
            kernelFrom,
          });
          const naive = new NaiveIndex(entries);
          const removedEntries = leaving.flatMap(({ filter, left }) =>
            entries.filter(({ filterIds }) => filterIds.includes(filterId(filter))).slice(left),
          );
          const removed = removedEntries.map(({ id }) => id);
          await Promise.all([index.apply(upserts, removed, ++seq), naive.apply(upserts, removed)]);
          const narrow = leaving.map(({ filter }, i): Search => {
            const filterIds = [filter, 6 + i].map(filterId);
            return {
              query: { filterIds },
              sort: 'newest',
              popularity: 'live',
              offset: 0,
              limit: 9,
            };
          });
          expectAlike(index, naive, [...searches, ...narrow]);
        },
      ),
      { numRuns: FEW_RUNS },
    );
  });

  it('return the same for so many tracks that the index processes them in blocks', async () => {
    /** Replace the first random queries, because the second rare filter is on one track in thousands here. */
    const rare = [{ filterIds: [7] }, { filterIds: [0, 7] }, { filterIds: [7], text: 'n' }].map(
      ({ filterIds, ...query }) => ({ ...query, filterIds: filterIds.map(filterId) }),
    );
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.integer({ min: 1_000, max: 9_000 }),
        fc.constantFrom(16_384, 16_385, 40_000),
        fc.array(search(plainName), { minLength: 12, maxLength: 12 }),
        fc.array(entry(plainName, 40_000), { minLength: 20, maxLength: 40 }),
        kernelFrom,
        async (kinds, stride, count, searches, upserts, kernelFrom) => {
          const entries = tracksOf({ ...kinds, strides: [37, stride], count });
          const index = builtOver(entries, { kernelFrom });
          const naive = new NaiveIndex(entries);
          for (const removed of [[], firstIds(count).filter((_, i) => i % 64 < 9)]) {
            await Promise.all([
              index.apply(upserts, removed, ++seq),
              naive.apply(upserts, removed),
            ]);
            for (const [i, { query: drawn, sort, limit }] of searches.entries()) {
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
