import { describe, expect, it } from 'vitest';
import { filterId } from './arbitrary-catalog.test-support.ts';
import type { CatalogIndex, IndexQuery } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { id, matches, track } from './search-rules.test-support.ts';

it('finds the tracks of any of more filters than two bytes can number', async () => {
  const filterIds = Array.from({ length: 2 ** 16 + 9 }, (_, i) => filterId(i));
  const index = builtOver([track(1, { filterIds: filterIds.slice(8) }), track(2, { filterIds })]);
  await index.apply([track(3, { filterIds: filterIds.slice(-1) })], [], 1);
  await index.settled();
  expect(matches(index, { filterIds: filterIds.slice(0, 9) })).toEqual([2]);
  expect(matches(index, { filterIds: filterIds.slice(-2) })).toEqual([1, 2]);
  const { facets } = index.search({}, { offset: 0, limit: 1, facets: true });
  expect(facets!.filters.get(filterIds[0]!)).toBe(1);
  expect(facets!.filters.get(filterIds.at(-1)!)).toBe(3);
});

describe('filters', () => {
  const [calm, piano, loud] = [filterId(1), filterId(2), filterId(3)];
  const entries = [
    track(1, { releasedAt: 1, filterIds: [calm, piano], isrc: 'USUAN1100001' }),
    track(2, { releasedAt: 2, filterIds: [calm], hasVocals: true }),
    track(3, { releasedAt: 3, type: 'sfx', name: 'Rain', ai: 'assisted', trainingAllowed: true }),
    track(4, { releasedAt: -5, filterIds: [piano, calm], name: 'Calm Rain', ai: 'none' }),
  ];

  it.each<[string, IndexQuery, number[]]>([
    ['nothing', {}, [3, 2, 1, 4]],
    ['a type', { type: 'sfx' }, [3]],
    ['vocals', { hasVocals: true }, [2]],
    ['no vocals', { hasVocals: false }, [3, 1, 4]],
    ['one filter', { filterIds: [calm] }, [2, 1, 4]],
    ['several filters, which must all match', { filterIds: [calm, piano] }, [1, 4]],
    ['an unknown filter', { filterIds: [calm, loud] }, []],
    ['one filter of several', { anyFilterIds: [[piano, loud]] }, [1, 4]],
    ['one filter of each group', { anyFilterIds: [[calm, loud], [piano]] }, [1, 4]],
    ['one filter of two groups', { anyFilterIds: [[calm], [calm]] }, [2, 1, 4]],
    ['a group of unknown filters', { anyFilterIds: [[calm], [loud]] }, []],
    ['none of some filters', { notFilterIds: [piano, loud] }, [3, 2]],
    ['a filter without another', { filterIds: [calm], notFilterIds: [piano] }, [2]],
    ['a filter without itself', { anyFilterIds: [[calm]], notFilterIds: [calm] }, []],
    ['an ISRC without a filter', { isrc: 'USUAN1100001', notFilterIds: [loud] }, [1]],
    ['one share of a machine', { ai: ['assisted'] }, [3]],
    ['some shares of a machine', { ai: ['none', 'assisted', 'generated'] }, [3, 4]],
    ['a share that no track has', { ai: ['generated'] }, []],
    ['an unknown share or another one', { ai: ['none', 'unknown'] }, [2, 1, 4]],
    ['tracks to learn from', { trainingAllowed: 'true' }, [3]],
    ['no track to learn from', { trainingAllowed: 'false' }, []],
    ['tracks of which that is unknown', { trainingAllowed: 'unknown', ai: ['unknown'] }, [2, 1]],
    ['an ISRC', { isrc: 'USUAN1100001' }, [1]],
    ['an unknown ISRC', { isrc: 'USUAN1100002' }, []],
    ['a filter and a text', { filterIds: [calm], text: 'rain' }, [4]],
  ])('restrict the result to %s', (_what, query, expected) => {
    const index = builtOver(entries);
    const total = expected.length;
    expect(matches(index, query)).toEqual(expected);
    const second = expected.slice(1, 2).map((i) => i + 1);
    expect(index.search(query, { offset: 1, limit: 1 })).toEqual({ total, rowIds: second });
    const tooFar = { offset: 2_147_483_647 * 100, limit: 100 };
    expect(index.search(query, tooFar)).toEqual({ total, rowIds: [] });
    const located = [4, 9, 1].map((i) => (expected.includes(i) ? i + 1 : undefined));
    expect(index.locate([id(4), id(9), id(1)], query)).toEqual(located);
  });

  it('are counted over live tracks, also after changes', async () => {
    const index = builtOver(entries);
    const counts = () => [calm, piano].map((one) => index.filterCounts().get(one) ?? 0);
    expect(counts()).toEqual([3, 2]);
    await index.apply([track(2, { filterIds: [piano] })], [id(1)], 1);
    expect(counts()).toEqual([1, 2]);
    expect(index.size).toBe(3);
  });
});

describe('ranges', () => {
  const entries = [
    track(0),
    track(1, { bpm: 119.999, durationSeconds: 1, releasedAt: -1 }),
    track(2, { bpm: 120, durationSeconds: 180, releasedAt: 0 }),
    track(3, { bpm: 120.001, durationSeconds: 181, releasedAt: 1 }),
  ];

  it.each<[string, IndexQuery, number[]]>([
    ['tempo from', { bpmMin: 120 }, [2, 3]],
    ['tempo from between two thousandths', { bpmMin: 120.0001 }, [3]],
    ['tempo to', { bpmMax: 120 }, [1, 2]],
    ['tempo to between two thousandths', { bpmMax: 119.9999 }, [1]],
    ['tempo from and to', { bpmMin: 120, bpmMax: 120 }, [2]],
    ['any known tempo', { bpmMin: 0 }, [1, 2, 3]],
    ['no tempo at all', { bpmMax: 0 }, []],
    ['no tempo between the ends', { bpmMin: 121, bpmMax: 119 }, []],
    ['duration from', { durationMin: 180 }, [2, 3]],
    ['duration to', { durationMax: 180 }, [1, 2]],
    ['any known duration', { durationMin: 0, durationMax: 9_999 }, [1, 2, 3]],
    ['release from', { releasedFrom: 0 }, [0, 2, 3]],
    ['release to', { releasedTo: 0 }, [0, 1, 2]],
    ['release before 1970', { releasedFrom: -1, releasedTo: -1 }, [1]],
    ['several', { bpmMin: 119.5, durationMax: 180, releasedFrom: 0 }, [2]],
  ])('include both ends and exclude unknown values: %s', (_what, query, expected) => {
    expect(matches(builtOver(entries), query).sort()).toEqual(expected);
  });
});

describe('a song key', () => {
  it('matches any key of the track, regardless of case', () => {
    const index = builtOver([
      track(1, { songKeys: ['C major', 'A minor'] }),
      track(2, { songKeys: ['c MAJOR', 'C major'] }),
      track(3, { songKeys: ['C♯ minor'] }),
      track(4, { songKeys: ['des-moll', 'dorian'] }),
      track(5),
    ]);
    expect(matches(index, { songKeys: ['C Major'] })).toEqual([1, 2]);
    expect(matches(index, { songKeys: ['a minor'] })).toEqual([1]);
    expect(matches(index, { songKeys: ['C♯ MINOR'] })).toEqual([3, 4]);
    expect(matches(index, { songKeys: ['12A', 'Am'] })).toEqual([1, 3, 4]);
    expect(matches(index, { songKeys: ['Dorian'] })).toEqual([4]);
    expect(matches(index, { songKeys: ['minor'] })).toEqual([]);
  });
});

describe('facets', () => {
  const [calm, piano] = [filterId(1), filterId(2)];
  const entries = [
    track(1, { name: 'Rain', filterIds: [calm, piano], hasVocals: true, ai: 'none' }),
    track(2, { name: 'Rainy', filterIds: [calm], isInstrumental: true, trainingAllowed: false }),
    track(3, { name: 'Night', type: 'sfx', filterIds: [piano] }),
  ];
  /** Returns the facets as objects, which are easier to read here than maps. */
  const facets = (index: CatalogIndex, query: IndexQuery) => {
    const { facets } = index.search(query, { offset: 5, limit: 0, facets: true });
    return Object.fromEntries(
      Object.entries(facets!).map(([kind, counts]) => [kind, Object.fromEntries(counts)]),
    );
  };

  it('count the whole result, regardless of the page', () => {
    const index = builtOver(entries);
    expect(facets(index, {})).toEqual({
      filters: { [calm]: 2, [piano]: 2 },
      types: { music: 2, sfx: 1 },
      hasVocals: { true: 1, false: 2 },
      vocals: { vocal: 1, instrumental: 1, unknown: 1 },
      ai: { none: 1, unknown: 2 },
      trainingAllowed: { false: 1, unknown: 2 },
    });
    expect(facets(index, { text: 'rain' })).toEqual({
      filters: { [calm]: 2, [piano]: 1 },
      types: { music: 2 },
      hasVocals: { true: 1, false: 1 },
      vocals: { vocal: 1, instrumental: 1 },
      ai: { none: 1, unknown: 1 },
      trainingAllowed: { false: 1, unknown: 1 },
    });
  });

  it('are empty if nothing matches, and absent if they are not requested', () => {
    const index = builtOver(entries);
    const provenance = { ai: {}, trainingAllowed: {} };
    const nothing = { filters: {}, types: {}, hasVocals: {}, vocals: {}, ...provenance };
    expect(facets(index, { text: 'sunshine' })).toEqual(nothing);
    expect(index.search({}, { offset: 0, limit: 1 })).not.toHaveProperty('facets');
  });

  it('include changed tracks', async () => {
    const index = builtOver(entries);
    await index.apply([track(1, { filterIds: [piano] })], [id(2)], 1);
    expect(facets(index, {})).toEqual({
      filters: { [piano]: 2 },
      types: { music: 1, sfx: 1 },
      hasVocals: { false: 2 },
      vocals: { unknown: 2 },
      ai: { unknown: 2 },
      trainingAllowed: { unknown: 2 },
    });
  });
});
