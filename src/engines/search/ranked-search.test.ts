import { describe, expect, it } from 'vitest';
import { filterId, identity } from './arbitrary-catalog.test-support.ts';
import type { Concept, IndexEntry, Ranking } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';

const DARK = filterId(1);
const CALM = filterId(2);
const RARE = filterId(3);

/** A catalog in which the later tracks are older; `tracks` is what they have besides the values that all share. */
function indexOf(...tracks: Partial<IndexEntry>[]) {
  const entries = tracks.map(
    (track, i): IndexEntry => ({
      ...identity(2 * i),
      name: 'Untitled',
      type: 'music',
      hasVocals: false,
      releasedAt: 1_000 - i,
      durationSeconds: 0,
      bpm: 0,
      songKeys: [],
      filterIds: [],
      isrc: '',
      artists: [],
      tags: [],
      region: 'WORLD',
      ...track,
    }),
  );
  const index = builtOver(entries);
  /** The positions of the tracks of a page, and the concepts that each carries. */
  return (concepts: readonly Concept[], others: Partial<Ranking> = {}, offset = 0) => {
    const page = { offset, limit: 10 };
    const { total, rowIds, carried } = index.rank({}, { concepts, ...others }, page);
    return { total, tracks: rowIds.map((rowId) => (rowId - 1) / 2), carried };
  };
}

const ofFilter = (id: string, weight = 1): Concept => ({ weight, filterIds: [id] });

describe('tracks are ranked by the concepts that they carry:', () => {
  it('more of them first, a rare one before a common one, and equal scores newest first', () => {
    const rank = indexOf(
      { filterIds: [CALM] },
      { filterIds: [DARK] },
      { filterIds: [CALM] },
      {},
      { filterIds: [RARE] },
      { filterIds: [CALM, DARK] },
      {},
      { filterIds: [CALM] },
    );
    expect(rank([DARK, CALM, RARE].map((id) => ofFilter(id)))).toEqual({
      total: 6,
      tracks: [5, 4, 1, 0, 2, 7],
      carried: [[0, 1], [2], [0], [1], [1], [1]],
    });
  });

  it('a concept with a greater weight first, where they are as rare', () => {
    const rank = indexOf({ filterIds: [DARK] }, { filterIds: [CALM] });
    expect(rank([ofFilter(DARK, 0.5), ofFilter(CALM, 0.51)]).tracks).toEqual([1, 0]);
  });

  it('a filter, a tag, an artist and the words of a name carry one concept, and it counts once', () => {
    const concept = {
      weight: 1,
      filterIds: [DARK],
      tags: ['hip hop'],
      artists: ['hip-hop'],
      words: ['hip hop'],
    };
    const rank = indexOf(
      { tags: ['Hip-Hop'] },
      { artists: ['Hip Hop'], tags: ['hip hop'], filterIds: [DARK] },
      { name: 'Hop, they said: hip!' },
      { name: 'Hipster Hop' },
      { tags: ['hip'] },
    );
    expect(rank([concept]).tracks).toEqual([0, 1, 2]);
  });

  it('without concepts, every track matches', () => {
    const rank = indexOf({}, { isInstrumental: true }, {}, { isInstrumental: true });
    expect(rank([])).toEqual({ total: 4, tracks: [0, 1, 2, 3], carried: [[], [], [], []] });
    expect(rank([], { instrumentalFirst: true }).tracks).toEqual([1, 3, 0, 2]);
  });

  it('instrumental ones first among equal scores, not before better ones', () => {
    const rank = indexOf(
      { filterIds: [DARK] },
      { filterIds: [DARK], isInstrumental: true },
      { filterIds: [DARK, CALM] },
    );
    const concepts = [ofFilter(DARK), ofFilter(CALM)];
    expect(rank(concepts, { instrumentalFirst: true }).tracks).toEqual([2, 1, 0]);
  });

  it('without those that carry an excluded concept, or do not meet what is required', () => {
    const rank = indexOf(
      { filterIds: [DARK], tags: ['Drums'] },
      { filterIds: [DARK], bpm: 90 },
      { filterIds: [DARK], bpm: 120 },
      { filterIds: [DARK, CALM], bpm: 90 },
    );
    const excluded = [{ weight: 1, tags: ['drums'] }, ofFilter(CALM)];
    const required = [{ bpmMin: 80 }, { bpmMax: 100 }];
    expect(rank([ofFilter(DARK)], { excluded }).tracks).toEqual([1, 2]);
    expect(rank([ofFilter(DARK)], { excluded, required }).tracks).toEqual([1]);
    expect(rank([], { excluded, required }).tracks).toEqual([1]);
  });

  it('what no track carries matches nothing, and so does every concept of an empty index', () => {
    expect(indexOf({})([ofFilter(DARK)])).toEqual({ total: 0, tracks: [], carried: [] });
    expect(indexOf()([ofFilter(DARK)]).total).toBe(0);
  });

  it('pages of fifty concepts do not overlap', () => {
    const tracks = Array.from({ length: 50 }, (_, i) => ({ filterIds: [filterId(i % 7)] }));
    const rank = indexOf(...tracks);
    const concepts = Array.from({ length: 50 }, (_, i) => ofFilter(filterId(i % 9), 0.01 + i / 60));
    const all = [0, 1, 2, 3, 4].flatMap((page) => rank(concepts, {}, page * 10).tracks);
    expect(new Set(all).size).toBe(50);
  });
});
