import { describe, expect, it } from 'vitest';
import { LiveFilters } from './live-filters.ts';

function filtersOf(slugs: readonly string[]): LiveFilters {
  const filters = new LiveFilters(() => new Map());
  filters.take(slugs.map((slug) => ({ id: slug, name: slug, slug, type: 'mood' as const })));
  return filters;
}

describe('nearestSlug', () => {
  it.each([
    ['clam', 'calm'],
    ['ambeint', 'ambient'],
    ['xcalm', 'calm'],
    ['jazz', undefined],
    ['a'.repeat(10_000), undefined],
    ['hi', undefined],
  ])('returns for %.12s the slug %s', (slug, nearest) => {
    expect(filtersOf(['ambient', 'calm', 'drum-bass']).nearestSlug(slug)).toBe(nearest);
  });

  it('returns nothing without filters, and uses the current filters', () => {
    const filters = filtersOf([]);
    expect(filters.nearestSlug('calm')).toBeUndefined();
    filters.take([{ id: 'c', name: 'Calm', slug: 'calm', type: 'mood' }]);
    expect(filters.nearestSlug('clam')).toBe('calm');
  });

  it('returns the nearest of several slugs', () => {
    const filters = filtersOf(['hip-hop-beats', 'hip-hop', 'hop']);
    expect(filters.nearestSlug('hiphop')).toBe('hip-hop');
    expect(filters.nearestSlug('hip-hop-beast')).toBe('hip-hop-beats');
  });

  it('compares a limited number of filters', () => {
    const filters = filtersOf(Array.from({ length: 6_000 }, (_, i) => `${1e6 + i}`));
    expect(filters.nearestSlug('1004999x')).toBe('1004999');
    expect(filters.nearestSlug('1005999x')).not.toBe('1005999');
  });
});
