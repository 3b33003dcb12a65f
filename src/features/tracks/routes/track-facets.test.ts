import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AiShare, TrainingAnswer, Vocals } from '../../../engines/search/catalog-index.ts';
import type { Filter, TrackType } from '../../catalog/track.ts';
import { facetsJson } from './track-facets.ts';

const filter = (id: string, name: string): Filter => ({
  id,
  name,
  slug: `slug-${id}`,
  type: 'genre',
});
const FILTERS = [filter('d', 'Calm'), filter('c', 'Calm'), filter('b', 'Bold'), filter('a', 'Été')];

function facetsOf(
  filters: Record<string, number>,
  types: [TrackType, number][] = [],
  hasVocals: [boolean, number][] = [],
  vocals: [Vocals, number][] = [],
  ai: [AiShare, number][] = [],
  trainingAllowed: [TrainingAnswer, number][] = [],
) {
  const facets = {
    filters: new Map(Object.entries(filters)),
    types: new Map(types),
    hasVocals: new Map(hasVocals),
    vocals: new Map(vocals),
    ai: new Map(ai),
    trainingAllowed: new Map(trainingAllowed),
  };
  return JSON.parse(facetsJson(facets, FILTERS));
}

describe('facetsJson', () => {
  it('is empty lists without matches', () => {
    expect(facetsOf({})).toEqual({
      filters: [],
      types: [],
      hasVocals: [],
      vocals: [],
      ai: [],
      trainingAllowed: [],
    });
  });

  it('orders filters by most tracks, then by name, then by id', () => {
    const { filters } = facetsOf({ a: 9, b: 4, c: 4, d: 4 });
    expect(filters.map(({ id }: Filter) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(filters[0]).toEqual({ ...FILTERS[3], trackCount: 9 });
  });

  it('orders filters in another language as in the original', () => {
    const shown = FILTERS.map((one) => ({ ...one, name: { a: 'A', b: 'Z' }[one.id] ?? 'M' }));
    const facets = { filters: new Map([...'abcd'].map((id) => [id, 1])), types: new Map() };
    const vocals = { hasVocals: new Map(), vocals: new Map() };
    const provenance = { ai: new Map(), trainingAllowed: new Map() };
    const json = facetsJson({ ...facets, ...vocals, ...provenance }, shown, FILTERS);
    const { filters } = JSON.parse(json);
    expect(filters.map(({ name }: Filter) => name)).toEqual(['Z', 'M', 'M', 'A']);
    expect(filters.map(({ id }: Filter) => id)).toEqual(['b', 'c', 'd', 'a']);
  });

  it('omits values that no track has', () => {
    const facets = facetsOf({ a: 0, b: 1 }, [['sfx', 0]], [[true, 0]]);
    expect(facets).toMatchObject({ filters: [{ id: 'b', trackCount: 1 }], types: [] });
    expect(facets.hasVocals).toEqual([]);
  });

  it('orders types, vocals and provenance by most tracks', () => {
    expect(
      facetsOf(
        {},
        [
          ['music', 2],
          ['sfx', 5],
        ],
        [
          [true, 3],
          [false, 3],
        ],
        [
          ['vocal', 3],
          ['instrumental', 3],
        ],
        [
          ['assisted', 1],
          ['unknown', 4],
        ],
        [
          ['true', 2],
          ['false', 3],
        ],
      ), // prettier-ignore
    ).toEqual({
      filters: [],
      types: [
        { type: 'sfx', trackCount: 5 },
        { type: 'music', trackCount: 2 },
      ],
      hasVocals: [
        { hasVocals: false, trackCount: 3 },
        { hasVocals: true, trackCount: 3 },
      ],
      vocals: [
        { vocals: 'instrumental', trackCount: 3 },
        { vocals: 'vocal', trackCount: 3 },
      ],
      ai: [
        { ai: 'unknown', trackCount: 4 },
        { ai: 'assisted', trackCount: 1 },
      ],
      trainingAllowed: [
        { trainingAllowed: 'false', trackCount: 3 },
        { trainingAllowed: 'true', trackCount: 2 },
      ],
    });
  });

  it('writes any name in ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const facets = {
          filters: new Map([['a', 1]]),
          types: new Map<TrackType, number>(),
          hasVocals: new Map<boolean, number>(),
          vocals: new Map<Vocals, number>(),
          ai: new Map<AiShare, number>(),
          trainingAllowed: new Map<TrainingAnswer, number>(),
        };
        const json = facetsJson(facets, [filter('a', name)]);
        expect(Buffer.byteLength(json)).toBe(json.length);
        expect(JSON.parse(json).filters[0].name).toBe(name);
      }),
    );
  });
});
