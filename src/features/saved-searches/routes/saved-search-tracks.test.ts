import { describe, expect, it } from 'vitest';
import type { RegisteredClient } from '../../access/registry.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import { savedTrackFinder } from './saved-search-tracks.ts';

const RANGE = { rowIdAbove: 1, rowIdTo: 9, limit: 50 };
const LICENSING = new Set(['licensing'] as const);
const LOCALIZATION = new Set(['localization'] as const);

/** A finder for one client, and the queries that it sends to the catalog. */
function finderFor(client: Partial<RegisteredClient> | undefined) {
  const queries: CatalogQuery[] = [];
  const finder = savedTrackFinder({
    catalog: {
      position: 7,
      version: 3,
      search(query) {
        queries.push(query);
        return { total: 1, rowIds: [5] };
      },
    },
    registry: { find: () => client as RegisteredClient | undefined, version: 4 },
    regionGroups: () => [{ code: 'DACH', countries: new Set(['DE', 'AT']) }],
    groupsVersion: () => 2,
  });
  return { finder, queries };
}

describe('savedTrackFinder', () => {
  it('finds by the regions that cover the countries for the client', async () => {
    const { finder, queries } = finderFor({ features: LICENSING, scopes: LICENSING });
    const search = { clientId: 'c', query: '{"query":"night","licensableIn":["DE","AT"]}' };
    expect(await finder.find(search, RANGE)).toEqual({ total: 1, rowIds: [5] });
    expect(queries).toEqual([
      {
        text: 'night',
        regions: ['DACH', 'WORLD'],
        territories: ['DE', 'AT'],
        rowIdAbove: 1,
        rowIdTo: 9,
      },
    ]);
  });

  it.each([undefined, { features: new Set<never>(), scopes: LICENSING }])(
    'finds nothing for a client that may not ask for countries: %j',
    async (client) => {
      const { finder, queries } = finderFor(client);
      const search = { clientId: 'c', query: '{"licensableIn":["DE"]}' };
      expect(await finder.find(search, RANGE)).toEqual({ total: 0, rowIds: [] });
      expect(queries).toEqual([]);
    },
  );

  it('finds by translations, too, for a client with localization', async () => {
    const search = { clientId: 'c', query: '{"query":"nachtf"}' };
    const range = { rowIdAbove: 1, rowIdTo: 9 };
    const plain = finderFor({ features: LOCALIZATION, scopes: new Set() });
    await plain.finder.find(search, RANGE);
    expect(plain.queries).toEqual([{ text: 'nachtf', ...range }]);
    const localized = finderFor({ features: LOCALIZATION, scopes: LOCALIZATION });
    await localized.finder.find(search, RANGE);
    expect(localized.queries).toEqual([{ text: 'nachtf', aliases: true, ...range }]);
  });

  it('has another version when clients or the groups of rate cards have changed', async () => {
    const { finder } = finderFor(undefined);
    expect(await finder.state()).toEqual({ position: 7, version: 9 });
  });
});
