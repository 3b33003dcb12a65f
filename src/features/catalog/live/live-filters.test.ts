import { describe, expect, it } from 'vitest';
import { Languages } from '../../languages/languages.ts';
import { LiveFilters } from './live-filters.ts';

function filtersOf(slugs: readonly string[]): LiveFilters {
  const filters = new LiveFilters(() => new Map(), {
    filterName: ({ name }) => name,
    wordsOf: () => [],
  });
  filters.take(slugs.map((slug) => ({ id: slug, name: slug, slug, type: 'mood' as const })));
  return filters;
}

describe('the list in another language', () => {
  it('is kept for a limited number of languages', () => {
    const filters = filtersOf(['calm']);
    const views = new Languages('en', ['de', 'fr', ...manyLanguages(40)]);
    const german = filters.list(undefined, views.forTag('de'));
    expect(filters.list(undefined, views.forTag('de'))).toBe(german);
    for (const tag of manyLanguages(40)) filters.list(undefined, views.forTag(tag));
    expect(filters.list(undefined, views.forTag('de'))).not.toBe(german);
    expect(filters.list(undefined, views.forTag('de'))).toEqual(german);
  });
});

function manyLanguages(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `en-${100 + i}`);
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
