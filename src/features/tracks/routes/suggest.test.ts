import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../engines/http/route/route.ts';
import type { CountedFilter } from '../../catalog/track.ts';
import { suggest } from './suggest.ts';

const filterNamed = (name: string): CountedFilter => ({
  id: '6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11',
  name,
  slug: name.toLowerCase(),
  type: 'mood',
  trackCount: 3,
});

/** Returns the suggested texts by kind, for a number of filters and names in the catalog. */
function suggested(filters: number, names: number, limit?: number) {
  const request: unknown[] = [];
  const route = suggest({
    catalog: {
      suggest(text, most) {
        request.push(text, most);
        return {
          filters: Array.from({ length: filters }, (_, i) => filterNamed(`F${i}`)).slice(0, most),
          names: Array.from({ length: names }, (_, i) => `n${i}`).slice(0, most),
        };
      },
    },
  });
  const { data } = route.handle({ query: { q: 'ni', limit } } as ApiRequest) as {
    data: { items: { kind: string; text: string }[] };
  };
  expect(request).toEqual(['ni', limit ?? 10]);
  return data.items;
}
const texts = (...given: Parameters<typeof suggested>) =>
  suggested(...given)
    .map(({ text }) => text)
    .join(' ');

describe('suggest', () => {
  it('returns the kind of each completion', () => {
    const { trackCount, ...filter } = filterNamed('F0');
    expect(suggested(1, 1)).toEqual([
      { kind: 'filter', text: 'F0', filter, trackCount },
      { kind: 'name', text: 'n0' },
    ]);
  });

  it('is empty without completions', () => {
    expect(suggested(0, 0)).toEqual([]);
  });

  it('returns a third of filters, rounded up, and names in the other places', () => {
    expect(texts(20, 20)).toBe('F0 F1 F2 F3 n0 n1 n2 n3 n4 n5');
    expect(texts(20, 20, 3)).toBe('F0 n0 n1');
    expect(texts(20, 20, 1)).toBe('F0');
  });

  it('fills every place if there are enough filters or names', () => {
    expect(texts(20, 2, 6)).toBe('F0 F1 F2 F3 n0 n1');
    expect(texts(1, 20, 6)).toBe('F0 n0 n1 n2 n3 n4');
    expect(texts(20, 0, 2)).toBe('F0 F1');
    expect(texts(1, 1, 6)).toBe('F0 n0');
  });
});
