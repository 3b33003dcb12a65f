import { describe, expect, it } from 'vitest';
import type { CatalogQuery } from '../../catalog/live-catalog.ts';
import type { ApiRequest } from '../route.ts';
import { listTracks } from '../tracks/list-tracks.ts';

import { searchTracks } from './search-tracks.ts';

/** What a route asks of the catalog, and which page it shows. */
function asked(makeRoute: typeof listTracks, request: Partial<ApiRequest>) {
  const questions: unknown[] = [];
  const route = makeRoute({
    catalog: {
      search(query: CatalogQuery, offset: number, limit: number) {
        questions.push({ query, offset, limit });
        return { total: 0, ids: [] };
      },
    },
    pages: { page: (frame) => questions.push(frame) as never },
  });
  route.handle(request as ApiRequest);
  return questions;
}

describe('searchTracks', () => {
  it('asks the catalog what the list asks for the same question', () => {
    const shared = {
      type: 'music',
      hasVocals: false,
      filterIds: ['6F2C1C52-7A4B-5D0E-9B61-2F0A3C7D8E11'],
      filterSlugs: ['calm', 'calm'],
      page: 3,
      pageSize: 7,
    };
    const listed = asked(listTracks, { query: { ...shared, search: 'night' } });
    expect(asked(searchTracks, { body: { ...shared, query: 'night' } })).toEqual(listed);
    expect(listed[0]).toMatchObject({ query: { text: 'night' }, offset: 14, limit: 7 });
  });

  it('asks for the first page of everything when nothing is said', () => {
    const [question, frame] = asked(searchTracks, { body: {} });
    expect(question).toEqual({ query: {}, offset: 0, limit: 20 });
    expect(frame).toEqual({ totalRecords: 0, page: 1, pageSize: 20 });
  });
});
