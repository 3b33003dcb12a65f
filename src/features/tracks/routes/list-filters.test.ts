import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../engines/http/route/route.ts';
import type { CountedFilter } from '../../catalog/track.ts';
import { listFilters } from './list-filters.ts';

const ambient: CountedFilter = {
  id: '6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11',
  name: 'Ambient',
  slug: 'ambient',
  type: 'genre',
  trackCount: 3,
};

describe('listFilters', () => {
  const route = listFilters({
    catalog: { filters: (type) => (type === undefined || type === 'genre' ? [ambient] : []) },
  });

  it('returns the whole list in items', () => {
    expect(route.handle({ query: {} } as ApiRequest)).toEqual({ data: { items: [ambient] } });
  });

  it('restricts it by type', () => {
    expect(route.handle({ query: { type: 'mood' } } as ApiRequest)).toEqual({
      data: { items: [] },
    });
  });
});
