import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../engines/http/route/route.ts';
import { type LanguageSource, LiveLanguages } from '../../catalog/live/live-languages.ts';
import type { PopularityQuery } from '../../licensing/license.ts';
import { listMostLicensed } from './list-most-licensed.ts';

describe('listMostLicensed', () => {
  const queries: PopularityQuery[] = [];
  const items: unknown[] = [];
  const route = listMostLicensed({
    popularity: {
      async mostLicensed(query) {
        queries.push(query);
        return ['a', 'b', 'c'].map((trackId, i) => ({
          rowId: i + 1,
          trackId,
          licenseCount: 9 - i,
        }));
      },
    },
    catalog: {
      unknownFilters: () => undefined,
      hasKey: () => true,
      search: () => ({ total: 0, rowIds: [] }),
      languages: new LiveLanguages({ store: {} as LanguageSource, original: 'en' }),
    },
    pages: {
      page({ items: tracks }, _caller, wrap) {
        for (const track of tracks) {
          const id = 'abc'[track - 1]!;
          const { before, after } = wrap!(id);
          items.push(JSON.parse(`${before}"${id}"${after}`));
        }
        return { envelope: Buffer.alloc(0) };
      },
    },
  });

  it('requests the mode of the token, for all time by default', async () => {
    await route.handle({ query: {}, caller: { mode: 'live' } } as ApiRequest);
    await route.handle({
      query: { period: '7d', type: 'sfx', filterSlugs: [] },
      caller: { mode: 'test' },
    } as unknown as ApiRequest);
    expect(queries).toEqual([
      { mode: 'live', period: 'all' },
      { mode: 'test', period: '7d', type: 'sfx', filterSlugs: [] },
    ]);
  });

  it('continues the ranks over the pages', async () => {
    items.length = 0;
    await route.handle({
      query: { page: 2, pageSize: 2 },
      caller: { mode: 'live' },
    } as unknown as ApiRequest);
    expect(items).toEqual([{ rank: 3, licenseCount: 7, track: 'c' }]);
  });
});
