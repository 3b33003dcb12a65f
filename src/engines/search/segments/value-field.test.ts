import { expect, it } from 'vitest';
import { identity } from '../arbitrary-catalog.test-support.ts';
import { buildSegment } from '../build/segment-builder.ts';
import { runSteps } from '../build/steps.ts';
import type { IndexEntry } from '../catalog-index.ts';
import type { Occurrences } from '../text/text-field.ts';
import { Segment } from './segment.ts';

const TAGS = ['ambient', 'deep house', 'night', 'organ', 'x', 'quartz'];

/** Each tag is on fewer tracks than the one before it, and the last two are on fewer than one in 32. */
const entries: IndexEntry[] = Array.from({ length: 2_000 }, (_, i) => ({
  ...identity(i),
  name: `Track ${i}`,
  type: 'music',
  hasVocals: false,
  releasedAt: i,
  durationSeconds: 0,
  bpm: 0,
  songKeys: [],
  filterIds: [],
  isrc: '',
  region: 'WORLD',
  artists: [`Artist ${String.fromCharCode(97 + (i % 26))}`],
  tags: TAGS.filter((_tag, n) => i % [2, 3, 5, 7, 40, 50][n]! === 0),
}));

const segment = new Segment(runSteps(buildSegment(entries, 0, { kernelFrom: 0 })));

const pieces = [...'abcdefghijklmnopqrstuvwxyz', 'am', 'ni', 'or', 'ee', 'qu', 'tz', 'hou', 'ght'];

it.each(['artists', 'tags'] as const)(
  'keeps common pieces of %s as bitsets of the tracks',
  (name) => {
    const field = segment.fields[name];
    const kinds = new Set<string>();
    for (const piece of pieces) {
      for (const [how, place] of [
        ['includes', field.containing(piece)],
        ['startsWith', field.beginning(piece)],
      ] as const) {
        const right = entries
          .filter((entry) =>
            entry[name].some((value) =>
              value
                .toLowerCase()
                .split(' ')
                .some((word) => word[how](piece)),
            ),
          )
          .map(({ id }) => segment.ordinalOf(id)!)
          .sort((a, b) => a - b);
        expect(place.kind, `${name} ${how} ${piece}`).toBe(
          right.length > entries.length >>> 5 ? 'bits' : 'lists',
        );
        expect(tracksOf(place)).toEqual(right);
        kinds.add(place.kind);
      }
    }
    expect([...kinds].sort()).toEqual(['bits', 'lists']);
  },
);

function tracksOf(place: Occurrences): number[] {
  if (place.kind === 'bits') {
    return entries.map((_, i) => i).filter((i) => (place.bits[i >>> 5]! & (1 << (i & 31))) !== 0);
  }
  const tracks = new Set<number>();
  place.each((list) => {
    for (const ordinal of list) tracks.add(ordinal);
  });
  expect(place.postings).toBeGreaterThanOrEqual(tracks.size);
  const isIn = place.tester!();
  expect(entries.map((_, i) => isIn(i))).toEqual(entries.map((_, i) => tracks.has(i)));
  return [...tracks].sort((a, b) => a - b);
}
