import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import type { CatalogQuery } from './catalog-query.ts';
import {
  deliver,
  delivery,
  FIRST_TEN,
  idOf,
  live,
  openStoreForEachTest,
  store,
} from './live-catalog.test-support.ts';

openStoreForEachTest();

const GENRES = ['Jazz', 'Blues', 'Rock'];
const MOODS = ['Dark', 'Calm'];
const SLUGS = ['jazz', 'blues', 'rock', 'dark', 'calm', 'trailer'];

/** Sixty-four tracks, one with each set of the six filters: track 5 has the first and the third. */
async function catalogOfAllSets() {
  const named = (type: 'genre' | 'mood' | 'use-case', names: readonly string[]) =>
    names.map((name) => ({ type, name }));
  const all = [
    ...named('genre', GENRES),
    ...named('mood', MOODS),
    ...named('use-case', ['Trailer']),
  ];
  const tracks = Array.from({ length: 2 ** all.length }, (_, i) =>
    delivery(`T${i}`, { filters: all.filter((_, n) => (i >> n) % 2 === 1) }),
  );
  await deliver(...tracks);
  return live();
}

const carries = (track: number, slug: string) => (track >> SLUGS.indexOf(slug)) % 2 === 1;

/** The numbers of the tracks that meet a query by slugs, which finds nothing if it excludes what it asks for. */
function expected({ filterSlugs = [], anyFilterSlugs = [], notFilterSlugs = [] }: CatalogQuery) {
  const asked = [...filterSlugs, ...anyFilterSlugs];
  if (notFilterSlugs.some((slug) => asked.includes(slug))) return [];
  const groups = [GENRES, MOODS, ['Trailer']].map((names) =>
    anyFilterSlugs.filter((slug) => names.some((name) => name.toLowerCase() === slug)),
  );
  return Array.from({ length: 64 }, (_, i) => i).filter(
    (i) =>
      filterSlugs.every((slug) => carries(i, slug)) &&
      groups.every((group) => group.length === 0 || group.some((slug) => carries(i, slug))) &&
      !notFilterSlugs.some((slug) => carries(i, slug)),
  );
}

const slugs = fc.option(fc.subarray(SLUGS, { maxLength: 3 }), { nil: undefined });
const choices = fc
  .record({ filterSlugs: slugs, anyFilterSlugs: slugs, notFilterSlugs: slugs })
  .map((query) => JSON.parse(JSON.stringify(query)) as CatalogQuery);

describe('choices of filters', () => {
  it('need one of each type, and none of those that are excluded', async () => {
    const { catalog } = await catalogOfAllSets();
    fc.assert(
      fc.property(choices, (query) => {
        const { total, rowIds } = catalog.search(query, { offset: 0, limit: 64 });
        const tracks = expected(query);
        expect(total).toBe(tracks.length);
        const wanted = catalog.locate(
          tracks.map((i) => idOf(`T${i}`)),
          {},
        );
        expect(new Set(rowIds)).toEqual(new Set(wanted));
        expect(catalog.locate([idOf('T63'), idOf('T0')], query)).toEqual(
          [63, 0].map((i) => (tracks.includes(i) ? expect.any(Number) : undefined)),
        );
      }),
    );
  });

  it('count each filter of a chosen type as if it were the only choice of its type', async () => {
    const { catalog } = await catalogOfAllSets();
    const typeOf = (slug: string) => catalog.filters().find((one) => one.slug === slug)!.type;
    const totalOf = (query: CatalogQuery) => catalog.search(query, FIRST_TEN).total;
    fc.assert(
      fc.property(choices, (query) => {
        fc.pre(catalog.filterConflicts(query).length === 0);
        const { facets, total } = catalog.search(query, { ...FIRST_TEN, facets: true });
        const chosen = query.anyFilterSlugs ?? [];
        for (const { id, slug, type } of catalog.filters()) {
          const others = chosen.filter((one) => typeOf(one) !== type);
          const alone = others.length < chosen.length ? [...others, slug] : chosen;
          const more = others.length < chosen.length ? [] : [slug];
          const filterSlugs = [...(query.filterSlugs ?? []), ...more];
          const count = totalOf({ ...query, filterSlugs, anyFilterSlugs: alone });
          expect(facets!.filters.get(id), `${slug} of ${JSON.stringify(query)}`).toBe(
            count === 0 ? undefined : count,
          );
        }
        expect([...facets!.types.values()]).toEqual(total === 0 ? [] : [total]);
      }),
    );
  });

  it('are current after a change, also with their facets', async () => {
    const { catalog, catchUp } = await catalogOfAllSets();
    const blues = catalog.filters().find(({ slug }) => slug === 'blues')!.id;
    const query = { anyFilterSlugs: ['jazz'], notFilterSlugs: ['rock'] };
    const counted = () => {
      const { total, facets } = catalog.search(query, { ...FIRST_TEN, facets: true });
      return [total, facets!.filters.get(blues)];
    };
    for (let i = 0; i < 3; i++) expect(counted()).toEqual([16, 16]);
    await setTrackState(store, idOf('T2'), 'taken_down', 'cli:test');
    await setTrackState(store, idOf('T3'), 'taken_down', 'cli:test');
    await catchUp();
    for (let i = 0; i < 3; i++) expect(counted()).toEqual([15, 14]);
  });

  it('leave out unknown filters, and match nothing if a list has only such', async () => {
    const { catalog } = await catalogOfAllSets();
    const nobodys = idOf('nobody').toUpperCase();
    const [jazz] = catalog.filters('genre').filter(({ slug }) => slug === 'jazz');
    const search = (query: CatalogQuery) => catalog.search(query, { offset: 0, limit: 0 });
    expect(
      search({
        anyFilterIds: [nobodys, jazz!.id.toUpperCase()],
        anyFilterSlugs: ['blues', 'jaz', 'jaz'],
        notFilterIds: [nobodys],
        notFilterSlugs: ['rok'],
      }),
    ).toEqual({
      total: expected({ anyFilterSlugs: ['jazz', 'blues'] }).length,
      rowIds: [],
      unknown: [
        { field: 'anyFilterIds', name: nobodys.toLowerCase() },
        { field: 'anyFilterSlugs', name: 'jaz', nearest: 'jazz' },
        { field: 'notFilterIds', name: nobodys.toLowerCase() },
        { field: 'notFilterSlugs', name: 'rok', nearest: 'rock' },
      ],
    });
    expect(search({ notFilterIds: [nobodys] }).total).toBe(64);
    for (const emptied of [
      { anyFilterIds: [nobodys] },
      { anyFilterSlugs: ['jaz'] },
      { anyFilterIds: [nobodys], anyFilterSlugs: ['jazz'] },
      { anyFilterIds: [jazz!.id], anyFilterSlugs: ['jaz'] },
    ]) {
      expect(search(emptied).total, JSON.stringify(emptied)).toBe(0);
    }
    expect(search({ anyFilterIds: [], anyFilterSlugs: [], notFilterSlugs: [] }).total).toBe(64);
  });

  it('find their conflicts, by id and by slug', async () => {
    const { catalog } = await catalogOfAllSets();
    const idOfSlug = (slug: string) => catalog.filters().find((one) => one.slug === slug)!.id;
    const query = {
      filterIds: [idOfSlug('jazz').toUpperCase()],
      anyFilterSlugs: ['blues', 'dark', 'nope'],
      notFilterIds: [idOfSlug('dark'), idOfSlug('rock'), idOfSlug('dark')],
      notFilterSlugs: ['jazz', 'nope', 'calm'],
    };
    expect(catalog.filterConflicts(query)).toEqual([
      { field: 'notFilterIds', name: `${idOfSlug('dark')} (dark)`, other: 'anyFilterSlugs' },
      { field: 'notFilterSlugs', name: 'jazz', other: 'filterIds' },
    ]);
    expect(catalog.search(query, FIRST_TEN)).toMatchObject({ total: 0 });
    expect(catalog.filterConflicts({ ...query, notFilterIds: [], notFilterSlugs: [] })).toEqual([]);
  });
});
