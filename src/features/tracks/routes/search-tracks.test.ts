import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../engines/http/route/route.ts';
import type { IndexFacets, PageRequest } from '../../../engines/search/catalog-index.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import { type LanguageSource, LiveLanguages } from '../../catalog/live/live-languages.ts';
import { listTracks, searchTracks } from './find-tracks.ts';

const liveLanguages = new LiveLanguages({ store: {} as LanguageSource, original: 'en' });

/** Returns the query that a route sends to the catalog, and the page that it requests. */
function callsOf(
  makeRoute: typeof searchTracks,
  request: Partial<ApiRequest>,
  found: { facets?: IndexFacets } = {},
) {
  const calls: unknown[] = [];
  const route = makeRoute({
    catalog: {
      search(query: CatalogQuery, page: PageRequest) {
        calls.push({ query, ...page });
        return { total: 0, rowIds: [], ...found };
      },
      filterConflicts: () => [],
      rank: () => ({ total: 0, rowIds: [], ids: [], carried: [] }),
      hasKey: () => true,
      filters: () => [],
      languages: liveLanguages,
    },
    pages: { page: (frame) => calls.push(frame) as never },
    regionGroups: () => [],
    briefs: { version: 1, read: () => Promise.reject(new Error('There is no brief')) },
  });
  const handled = route.handle({ caller: { mode: 'live' }, ...request } as ApiRequest);
  if ('rest' in handled) void handled.rest();
  return calls;
}

describe('searchTracks', () => {
  it('sends the catalog the same query as the list', () => {
    const shared = {
      type: 'music',
      hasVocals: false,
      filterIds: ['6F2C1C52-7A4B-5D0E-9B61-2F0A3C7D8E11'],
      filterSlugs: ['calm', 'calm'],
      songKey: 'A minor',
      bpmMin: 60,
      bpmMax: 120.5,
      durationMin: 0,
      durationMax: 300,
      releasedFrom: '2024-01-01',
      releasedTo: '2024-12-31T10:00:00Z',
      sort: 'popular',
      facets: true,
      page: 3,
      pageSize: 7,
    };
    const listed = callsOf(listTracks, { query: { ...shared, search: 'night' } });
    expect(callsOf(searchTracks, { body: { ...shared, query: 'night' } })).toEqual(listed);
    expect(listed[0]).toEqual({
      query: {
        text: 'night',
        type: 'music',
        hasVocals: false,
        filterIds: ['6F2C1C52-7A4B-5D0E-9B61-2F0A3C7D8E11'],
        filterSlugs: ['calm', 'calm'],
        songKeys: ['A minor'],
        bpmMin: 60,
        bpmMax: 120.5,
        durationMin: 0,
        durationMax: 300,
        releasedFrom: Date.UTC(2024, 0, 1),
        releasedTo: Date.UTC(2024, 11, 31, 10),
      },
      offset: 14,
      limit: 7,
      sort: 'popular',
      popularity: 'live',
      facets: true,
    });
  });

  it('requests the first page of all tracks by default', () => {
    const [query, frame] = callsOf(searchTracks, { body: {} });
    expect(query).toEqual({ query: {}, offset: 0, limit: 20 });
    expect(frame).toMatchObject({ totalRecords: 0, currentPage: 1, pageSize: 20, items: [] });
  });

  it('returns facets if the catalog counted them', () => {
    const vocals = { hasVocals: new Map(), vocals: new Map() };
    const provenance = { ai: new Map(), trainingAllowed: new Map() };
    const facets = { filters: new Map(), types: new Map(), ...vocals, ...provenance };
    const [, frame] = callsOf(searchTracks, { body: { facets: true } }, { facets });
    expect(frame).toMatchObject({
      facets: '{"filters":[],"types":[],"hasVocals":[],"vocals":[],"ai":[],"trainingAllowed":[]}',
    });
  });
});
