import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type Change,
  change,
  entry,
  firstIds,
  oddName,
  type Popularity,
  popularity,
  query,
  sort,
} from './arbitrary-catalog.test-support.ts';
import type { ChangedSegment } from './build/build-index.ts';
import { buildSegment } from './build/segment-builder.ts';
import { runSteps } from './build/steps.ts';
import { INDEX_SORTS, type IndexEntry, type IndexQuery, type IndexSort } from './catalog-index.ts';
import type { NaiveIndex } from './naive-index.test-support.ts';
import type { SegmentedIndex } from './segmented-index.ts';
import { idColumn } from './sets/tombstones.ts';

/** The number of runs; `STAVE_TEST_RUNS=5000` makes a longer test. */
export const RUNS = Number(process.env.STAVE_TEST_RUNS ?? 20);

/** The number of ids in small catalogs: so few that several changes affect one track. */
export const FEW = 40;

export const MANY = 1_700;

/** A query, and the order and the page for the tests that do not request all of them. */
export interface Search {
  query: IndexQuery;
  sort: IndexSort;
  popularity: string | undefined;
  offset: number;
  limit: number;
}

export function search(name: fc.Arbitrary<string>): fc.Arbitrary<Search> {
  return fc.record({
    query: query(name),
    sort,
    popularity: fc.constantFrom('live', 'test', 'unheard of', undefined),
    offset: fc.nat(MANY),
    limit: fc.nat(120),
  });
}

/** A few tracks with odd names. */
export function catalog(maxLength: number): fc.Arbitrary<IndexEntry[]> {
  return fc.uniqueArray(entry(oddName, FEW), { maxLength, selector: ({ id }) => id });
}

/** The size from which a segment stores common pieces as bitsets: any size, or more than the tests reach. */
export const kernelFrom = fc.constantFrom(0, 65_536);

/** How many tracks a change builds again: none, so that there are many segments, or some. */
export const rebuildUpTo = fc.constantFrom(0, 5, 4_096);

/** Changes of an index, which begin together in this order. */
export interface Step {
  changes: (Change | Popularity)[];
  /** Whether to wait for the background work. */
  settle: boolean;
}

export function step(name: fc.Arbitrary<string>, among: number): fc.Arbitrary<Step> {
  return fc.record({
    changes: fc.array(fc.oneof({ weight: 3, arbitrary: change(name, among) }, popularity(among)), {
      minLength: 1,
      maxLength: 3,
    }),
    settle: fc.boolean(),
  });
}

/** A segment of changed tracks; undefined for those that were removed. */
export function changedSegmentOf(
  changed: ReadonlyMap<string, IndexEntry | undefined>,
  seq: number,
): ChangedSegment {
  const entries = [...changed.values()].filter((entry) => entry !== undefined);
  const removed = [...changed.keys()].filter((id) => changed.get(id) === undefined);
  return { columns: runSteps(buildSegment(entries, seq)), removed: idColumn(removed) };
}

let seq = 0;

export const WHOLE = { offset: 0, limit: 1_000_000, facets: true };

export function begin(index: SegmentedIndex | NaiveIndex, { changes }: Step): Promise<unknown> {
  return Promise.all(
    changes.map((one) =>
      'upserts' in one
        ? index.apply(one.upserts, one.removed, ++seq)
        : index.setPopularity(one.name, one.counts),
    ),
  );
}

/** Searches for whole names, parts of them, and names with a typo, so that something matches. */
export function searchesFrom(entries: readonly IndexEntry[]): Search[] {
  return entries
    .slice(0, 3)
    .flatMap(({ name: text, aliases: [alias] = [] }) => [
      { text },
      ...(alias === undefined ? [] : [{ text: alias }, { text: alias, aliases: true }]),
      { text: [...text].slice(1, 5).join('') },
      { text: text.replace('a', 'bx') },
    ])
    .map((query, i) => ({
      query,
      sort: INDEX_SORTS[i % INDEX_SORTS.length]!,
      popularity: 'live',
      offset: i,
      limit: i,
    }));
}

function nonZero(counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].filter(([, count]) => count !== 0));
}

/** Calls `toEqual`, which is slow, only if there is a difference. */
export function expectEqual<T>(actual: T, expected: T) {
  if (!isDeepStrictEqual(actual, expected)) {
    expect(actual).toEqual(expected);
  }
}

/** Compares the whole result in every order, and the other methods of the port. */
export function expectAlike(index: SegmentedIndex, naive: NaiveIndex, searches: readonly Search[]) {
  expect(index.size).toBe(naive.size);
  expect(nonZero(index.filterCounts())).toEqual(naive.filterCounts());
  const ids = [...firstIds(naive.size + FEW), '00000000-0000-4000-8000-00000000000a'];
  for (const { query, popularity, offset, limit } of searches) {
    for (const sort of INDEX_SORTS) {
      const order = { sort, popularity };
      const whole = naive.search(query, { ...order, offset: 0, limit: MANY, facets: true });
      expectEqual(index.search(query, { ...order, offset: 0, limit: MANY, facets: true }), whole);
      expectEqual(index.search(query, { ...order, offset, limit }), {
        total: whole.total,
        rowIds: whole.rowIds.slice(offset, offset + limit),
      });
    }
    expectEqual(index.locate(ids, query), naive.locate(ids, query));
    const { text = '', aliases } = query;
    for (const most of [0, 1, 3, MANY]) {
      expectEqual(index.suggest(text, most, aliases), naive.suggest(text, most, aliases));
    }
  }
}

/** Compares all pages of some sizes in one order. */
export function expectPagesAlike(
  index: SegmentedIndex,
  naive: NaiveIndex,
  searches: readonly Search[],
) {
  for (const { query, sort, popularity } of searches) {
    const { total, rowIds, facets } = naive.search(query, {
      offset: 0,
      limit: MANY,
      sort,
      popularity,
      facets: true,
    });
    for (const limit of [0, 1, 3]) {
      for (let offset = 0; offset <= total + 1; offset += Math.max(1, limit)) {
        const request = { offset, limit, sort, popularity };
        const page = { total, rowIds: rowIds.slice(offset, offset + limit) };
        expectEqual(index.search(query, request), page);
        expectEqual(index.search(query, { ...request, facets: true }), { ...page, facets });
      }
    }
    const tooFar = { offset: 2_147_483_647 * 100, limit: 100, sort, popularity };
    expectEqual(index.search(query, tooFar), { total, rowIds: [] });
  }
}
