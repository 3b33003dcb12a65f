import { describe, expect, it } from 'vitest';
import { catalogQuery, requestedPage } from './track-query.ts';

describe('catalogQuery', () => {
  it('has no restrictions by default', () => {
    expect(catalogQuery({})).toEqual({});
  });

  it('keeps a text of spaces, because the index decides what it matches', () => {
    expect(catalogQuery({ text: ' ' })).toEqual({ text: ' ' });
  });

  it('keeps a flag that is false', () => {
    expect(catalogQuery({ hasVocals: false })).toEqual({ hasVocals: false });
  });

  it('writes an ISRC without hyphens', () => {
    expect(catalogQuery({ isrc: 'gb-ayE-06-01498' })).toEqual({ isrc: 'gbayE0601498' });
  });

  it('keeps ends of ranges that are 0', () => {
    const ends = { bpmMin: 0, bpmMax: 0, durationMin: 0, durationMax: 0 };
    expect(catalogQuery(ends)).toEqual(ends);
  });

  it('converts dates to moments: the beginning of a day as `from`, and its end as `to`', () => {
    expect(catalogQuery({ releasedFrom: '2024-02-29', releasedTo: '2024-02-29' })).toEqual({
      releasedFrom: Date.UTC(2024, 1, 29),
      releasedTo: Date.UTC(2024, 2, 1) - 1,
    });
    expect(
      catalogQuery({ releasedFrom: '1969-12-31T23:59:59.5Z', releasedTo: '1970-01-01T00:00:00Z' }),
    ).toEqual({ releasedFrom: -500, releasedTo: 0 });
  });

  it('omits order, facets and page', () => {
    expect(catalogQuery({ sort: 'name', facets: true, page: 2, pageSize: 5 })).toEqual({});
  });
});

describe('requestedPage', () => {
  it('is the first twenty by default, with implicit or explicit defaults', () => {
    const first = { offset: 0, limit: 20 };
    expect(requestedPage({}, 'live')).toEqual(first);
    expect(
      requestedPage({ page: 1, pageSize: 20, sort: 'relevance', facets: false }, 'live'),
    ).toEqual(first);
  });

  it('starts at the page', () => {
    expect(requestedPage({ page: 3, pageSize: 7, facets: true }, 'test')).toEqual({
      offset: 14,
      limit: 7,
      facets: true,
    });
  });

  it('counts licenses in the mode of the token if the sort is `popular`', () => {
    expect(requestedPage({ sort: 'popular' }, 'live')).toMatchObject({
      sort: 'popular',
      popularity: 'live',
    });
    expect(requestedPage({ sort: 'newest' }, 'live')).toEqual({
      offset: 0,
      limit: 20,
      sort: 'newest',
    });
  });
});
