import { describe, expect, it } from 'vitest';
import type { CatalogIndex, IndexSort } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { id, indexOf, matches, track } from './search-rules.test-support.ts';

describe('the order', () => {
  const entries = [
    track(1, { releasedAt: 3, name: 'b', bpm: 90, durationSeconds: 30 }),
    track(2, { releasedAt: 1, name: 'A rain', bpm: 0, durationSeconds: 10 }),
    track(3, { releasedAt: 2, name: '...', bpm: 90, durationSeconds: 0 }),
    track(4, { releasedAt: 2, name: 'Árain', bpm: 9.5, durationSeconds: 8_359 }),
    track(5, { releasedAt: -1, name: 'Rain', bpm: 200, durationSeconds: 10 }),
    track(6, { releasedAt: 9, name: '夜' }),
  ];

  it.each<[IndexSort, number[]]>([
    ['relevance', [6, 1, 3, 4, 2, 5]],
    ['newest', [6, 1, 3, 4, 2, 5]],
    ['oldest', [5, 2, 4, 3, 1, 6]],
    ['name', [2, 4, 1, 5, 6, 3]],
    ['bpm', [4, 1, 3, 5, 6, 2]],
    ['duration', [2, 5, 1, 4, 6, 3]],
    ['popular', [6, 1, 3, 4, 2, 5]],
  ])('places unknown values last, and orders ties by newest, then by id: %s', (sort, expected) => {
    expect(matches(builtOver(entries), {}, sort)).toEqual(expected);
  });

  it.each<[IndexSort, number[]]>([
    ['relevance', [5, 2, 4]],
    ['newest', [4, 2, 5]],
    ['oldest', [5, 2, 4]],
    ['name', [2, 4, 5]],
    ['bpm', [4, 5, 2]],
    ['duration', [2, 5, 4]],
  ])('replaces relevance if a sort is requested: %s', (sort, expected) => {
    expect(matches(builtOver(entries), { text: 'rain' }, sort)).toEqual(expected);
  });

  it('compares names word by word', () => {
    const names = ['Moonlight', 'Moon Zoo', 'moon', 'Moon 2', 'Moon', '2 Moons', '„Moon“ lit'];
    const sorted = matches(indexOf(...names), {}, 'name').map((i) => names[i]);
    const expected = ['2 Moons', 'moon', 'Moon', 'Moon 2', '„Moon“ lit', 'Moon Zoo', 'Moonlight'];
    expect(sorted).toEqual(expected);
    const hangul = [
      '가',
      '가나',
      '각',
      '갂',
      '갃',
      '간',
      '고',
      '곡',
      '과',
      '괘',
      '괴',
      '교',
      '까',
      '나',
    ];
    const bySyllable = matches(indexOf(...hangul.toReversed()), {}, 'name');
    expect(bySyllable.map((i) => hangul.toReversed()[i])).toEqual(hangul);
  });

  it('applies to matches with typos too', () => {
    const index = builtOver([
      track(1, { name: 'Night', bpm: 120 }),
      track(2, { name: 'Night', bpm: 60, releasedAt: -1 }),
    ]);
    expect(matches(index, { text: 'nihgt' })).toEqual([1, 2]);
    expect(matches(index, { text: 'nihgt' }, 'bpm')).toEqual([2, 1]);
  });
});

describe('popularity', () => {
  const entries = [1, 2, 3, 4].map((i) => track(i, { releasedAt: -i }));
  const licenses = (...counts: [i: number, count: number][]) =>
    new Map(counts.map(([i, count]) => [id(i), count]));
  const popular = (index: CatalogIndex, popularity?: string) =>
    index
      .search({}, { offset: 0, limit: 10, sort: 'popular', popularity })
      .rowIds.map((rowId) => rowId - 1);

  it('orders the most licensed first, by the named counts', async () => {
    const index = builtOver(entries);
    await index.setPopularity('live', licenses([3, 2], [4, 70_000], [2, 2]));
    await index.setPopularity('test', licenses([3, 1]));
    expect(popular(index, 'live')).toEqual([4, 2, 3, 1]);
    expect(popular(index, 'test')).toEqual([3, 1, 2, 4]);
    expect(popular(index, 'unheard of')).toEqual([1, 2, 3, 4]);
    expect(popular(index)).toEqual([1, 2, 3, 4]);
  });

  it('replaces all counts that were set before', async () => {
    const index = builtOver(entries);
    await index.setPopularity('live', licenses([3, 2]));
    await index.setPopularity('live', licenses([4, 1]));
    expect(popular(index, 'live')).toEqual([4, 1, 2, 3]);
  });

  it('remains for a track that changes, is removed or is added later', async () => {
    const index = builtOver(entries);
    await index.setPopularity('live', licenses([3, 2], [9, 3]));
    await index.apply([track(3, { name: 'Changed' }), track(9, { releasedAt: -9 })], [id(1)], 1);
    expect(popular(index, 'live')).toEqual([9, 3, 2, 4]);
    await index.apply([], [id(3)], 2);
    expect(popular(index, 'live')).toEqual([9, 2, 4]);
    await index.apply([track(3)], [], 3);
    expect(popular(index, 'live')).toEqual([9, 3, 2, 4]);
  });
});
