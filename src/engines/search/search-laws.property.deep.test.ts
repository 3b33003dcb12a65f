import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchForm, searchForms } from '../../common/text/search-form.ts';
import {
  type Change,
  change,
  firstIds,
  oddName,
  type Popularity,
  plainName,
  popularity,
  query,
  type Recipe,
  recipe,
  sort,
  tracksOf,
} from './arbitrary-catalog.test-support.ts';
import {
  type CatalogIndex,
  INDEX_SORTS,
  type IndexQuery,
  type PageRequest,
} from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';

/** The number of runs; `STAVE_TEST_RUNS=5000` makes a longer test. */
const RUNS = Math.ceil(Number(process.env.STAVE_TEST_RUNS ?? 20) * 1.25);
const TIMEOUT = 120_000 + RUNS * 500;

const ALL = 2_000;
const ids = firstIds(ALL);

/**
 * An index over many tracks, some of which have changed since it was built, with a popularity named `live`.
 */
interface Scene {
  catalog: Recipe;
  change: Change;
  live: Popularity;
}

function scene(name: fc.Arbitrary<string>): fc.Arbitrary<Scene> {
  return fc.record({
    catalog: recipe(name),
    change: change(name, 70),
    live: popularity(70).map((one) => ({ ...one, name: 'live' })),
  });
}

async function indexOf({ catalog, change, live }: Scene): Promise<CatalogIndex> {
  const index = builtOver(tracksOf(catalog), { kernelFrom: 0 });
  await index.setPopularity(live.name, live.counts);
  await index.apply(change.upserts, change.removed, 1);
  return index;
}

function wholeOf(index: CatalogIndex, query: IndexQuery, page: Partial<PageRequest> = {}) {
  return index.search(query, { popularity: 'live', ...page, offset: 0, limit: ALL });
}

const name = fc.constantFrom('odd', 'plain');
const sceneAndQuery = name.chain((kind) => {
  const names = kind === 'odd' ? oddName : plainName;
  return fc.tuple(scene(names), query(names));
});

function expectForAny(law: (index: CatalogIndex, query: IndexQuery) => void) {
  return fc.assert(
    fc.asyncProperty(sceneAndQuery, async ([scene, query]) => law(await indexOf(scene), query)),
    { numRuns: RUNS },
  );
}

describe('for any query,', { timeout: TIMEOUT }, () => {
  it('the pages together contain each track of the result once', async () => {
    await fc.assert(
      fc.asyncProperty(
        sceneAndQuery,
        sort,
        fc.integer({ min: 1, max: 200 }),
        async ([scene, query], sort, limit) => {
          const index = await indexOf(scene);
          const { total, rowIds } = wholeOf(index, query, { sort });
          expect(rowIds).toHaveLength(total);
          expect(new Set(rowIds).size).toBe(total);
          const pages: number[] = [];
          for (let offset = 0; offset < total; offset += limit) {
            const page = index.search(query, { offset, limit, sort, popularity: 'live' });
            expect(page.total).toBe(total);
            pages.push(...page.rowIds);
          }
          expect(pages).toEqual(rowIds);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('every sort returns the same tracks, and `oldest` is the reverse of `newest`', async () => {
    await expectForAny((index, query) => {
      const orders = INDEX_SORTS.map((sort) => wholeOf(index, query, { sort }).rowIds);
      const [first, ...others] = orders.map((tracks) => tracks.toSorted((a, b) => a - b).join());
      expect(others).toEqual(others.map(() => first));
      const [newest, oldest] = [
        orders[INDEX_SORTS.indexOf('newest')]!,
        orders[INDEX_SORTS.indexOf('oldest')]!,
      ];
      expect(oldest).toEqual(newest.toReversed());
    });
  });

  it('the facets add up, and each equals the total of the query with that restriction added', async () => {
    await expectForAny((index, query) => {
      const { total, facets } = wholeOf(index, query, { facets: true });
      const { filters, types, hasVocals } = facets!;
      const sum = (counts: Iterable<number>) => [...counts].reduce((a, b) => a + b, 0);
      expect([sum(types.values()), sum(hasVocals.values())]).toEqual([total, total]);
      const narrowed = [
        ...[...types].map(([type, count]) => [count, { type }] as const),
        ...[...hasVocals].map(([hasVocals, count]) => [count, { hasVocals }] as const),
        ...[...filters].map(([id, count]) => {
          const filterIds = [...new Set([...(query.filterIds ?? []), id])];
          return [count, { filterIds }] as const;
        }),
      ];
      for (const [count, narrower] of narrowed) {
        expect(count).toBeGreaterThan(0);
        expect(wholeOf(index, { ...query, ...narrower }).total).toBe(count);
      }
    });
  });

  it('another condition returns a part of the tracks, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(sceneAndQuery, query(plainName), async ([scene, query], other) => {
        const index = await indexOf(scene);
        const { rowIds } = wholeOf(index, query);
        // Another text, other fields or translations would be another search, not a narrower one.
        const { text: _text, in: _members, aliases: _aliases, ...conditions } = other;
        const narrower = new Set(wholeOf(index, { ...conditions, ...query }).rowIds);
        expect(rowIds.filter((rowId) => narrower.has(rowId))).toEqual([...narrower]);
      }),
      { numRuns: RUNS },
    );
  });

  it('`locate` returns the same tracks as `search`', async () => {
    await expectForAny((index, query) => {
      const located = index.locate(ids, query);
      const found = wholeOf(index, query).rowIds;
      expect(located.filter((rowId) => rowId !== undefined).sort()).toEqual([...found].sort());
      expect(index.locate(ids.toReversed(), query)).toEqual(located.toReversed());
    });
  });

  it('`filterCounts` returns the filter facets of the empty query', async () => {
    await expectForAny((index) => {
      const { total, facets } = wholeOf(index, {}, { facets: true });
      expect(total).toBe(index.size);
      const carried = [...index.filterCounts()].filter(([, count]) => count > 0);
      expect(new Map(carried)).toEqual(facets!.filters);
    });
  });
});

describe('suggestions', { timeout: TIMEOUT }, () => {
  it('are different names, and each finds a track of that name', async () => {
    await expectForAny((index, { text = '' }) => {
      const names = index.suggest(text, ALL);
      const differ = searchForm(text) === '' ? names : names.map(searchForm);
      expect(new Set(differ).size).toBe(names.length);
      expect(names.length).toBeLessThanOrEqual(wholeOf(index, { text }).total);
      for (const name of names) {
        expect(wholeOf(index, { text: name }).total).toBeGreaterThan(0);
        const [first] = index.suggest(name, 1);
        const forms = new Set(searchForms(name));
        expect(searchForms(first!).some((form) => forms.has(form))).toBe(true);
      }
    });
  });

  it('are the first of a longer list of suggestions', async () => {
    await expectForAny((index, { text = '' }) => {
      const names = index.suggest(text, ALL);
      for (const limit of [0, 1, 2, 10]) {
        expect(index.suggest(text, limit)).toEqual(names.slice(0, limit));
      }
    });
  });
});

describe('changes', { timeout: TIMEOUT }, () => {
  const state = (index: CatalogIndex) => ({
    size: index.size,
    all: INDEX_SORTS.map((sort) => wholeOf(index, {}, { sort, facets: true })),
    names: index.suggest('n', ALL),
  });

  it('lead to the same state in any order of the tracks', async () => {
    const place = (id: string) => (Number(id.slice(-12)) * 7 ** 9) % 1_009;
    await fc.assert(
      fc.asyncProperty(scene(plainName), query(plainName), async (scene, query) => {
        const { catalog, change, live } = scene;
        const byId = new Map(change.upserts.map((entry) => [entry.id, entry]));
        const upserts = [...byId.values()];
        const one = await indexOf({ ...scene, change: { ...change, upserts } });
        const other = builtOver(tracksOf(catalog).sort((a, b) => place(a.id) - place(b.id)));
        await other.apply(upserts.toReversed(), change.removed.toReversed(), 1);
        await other.setPopularity(live.name, live.counts);
        expect(state(other)).toEqual(state(one));
        expect(wholeOf(other, query)).toEqual(wholeOf(one, query));
      }),
      { numRuns: RUNS },
    );
  });

  it('lead to the same state together, one by one, and as a new index of the resulting tracks', async () => {
    await fc.assert(
      fc.asyncProperty(scene(plainName), query(plainName), async (scene, query) => {
        const { catalog, change, live } = scene;
        const atOnce = await indexOf(scene);
        const oneByOne = builtOver(tracksOf(catalog), { mergeAtLeast: 3 });
        await oneByOne.setPopularity(live.name, live.counts);
        for (const id of change.removed) {
          await oneByOne.apply([], [id], 1);
        }
        for (const entry of change.upserts) {
          await oneByOne.apply([entry], [], 2);
        }
        const left = new Map(tracksOf(catalog).map((entry) => [entry.id, entry]));
        for (const id of change.removed) {
          left.delete(id);
        }
        for (const entry of change.upserts) {
          left.set(entry.id, entry);
        }
        const anew = builtOver([...left.values()]);
        await anew.setPopularity(live.name, live.counts);
        for (const index of [oneByOne, anew]) {
          expect(state(index)).toEqual(state(atOnce));
          expect(wholeOf(index, query)).toEqual(wholeOf(atOnce, query));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('leave the same state as before once they are reversed', async () => {
    await fc.assert(
      fc.asyncProperty(scene(plainName), async ({ catalog, change }) => {
        const entries = tracksOf(catalog);
        const index = builtOver(entries);
        const before = state(index);
        await index.apply(change.upserts, change.removed, 1);
        const touched = new Set([...change.removed, ...change.upserts.map(({ id }) => id)]);
        const asTheyWere = entries.filter(({ id }) => touched.has(id));
        const wereNot = [...touched].filter((id) => !asTheyWere.some((entry) => entry.id === id));
        await index.apply(asTheyWere, wereNot, 2);
        expect(state(index)).toEqual(before);
      }),
      { numRuns: RUNS },
    );
  });
});
