import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oddName, plainName, recipe, tracksOf } from '../arbitrary-catalog.test-support.ts';
import type { IndexEntry } from '../catalog-index.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import { columnsOf } from '../segments/snapshot.ts';
import { buildSegment, segmentOf } from './segment-builder.ts';
import { runSteps } from './steps.ts';
import { TrackCollector } from './track-collector.ts';

function collected(entries: readonly IndexEntry[]) {
  const collector = new TrackCollector();
  for (const entry of entries) collector.add(entry);
  return collector.collected;
}

/** The columns by name, and the description of the segment. */
function contents(columns: SegmentColumns) {
  return { meta: columns.meta, columns: [...columnsOf(columns)] };
}

it('a segment of several parts has the same columns as a segment of all tracks together', () => {
  fc.assert(
    fc.property(
      recipe(fc.oneof(oddName, plainName)),
      fc.array(fc.nat(2_000), { maxLength: 4 }),
      fc.constantFrom(0, 10_000),
      (given, cuts, kernelFrom) => {
        const entries = tracksOf(given);
        const whole = runSteps(buildSegment(entries, 7, { kernelFrom }));
        const ends = [...cuts, entries.length].sort((a, b) => a - b);
        const parts = ends.map((end, i) => collected(entries.slice(ends[i - 1] ?? 0, end)));
        const joined = runSteps(segmentOf(parts, 7, { kernelFrom }));
        expect(contents(joined)).toEqual(contents(whole));
      },
    ),
    { numRuns: 30 },
  );
});

it('a track that is added again replaces the earlier one', () => {
  fc.assert(
    fc.property(recipe(plainName), recipe(oddName), (former, later) => {
      const earlier = tracksOf(former);
      const newer = tracksOf(later);
      const ids = new Set(newer.map(({ id }) => id));
      const kept = earlier.filter(({ id }) => !ids.has(id));
      const replaced = runSteps(segmentOf([collected(earlier), collected(newer)], 0));
      const expected = runSteps(buildSegment([...kept, ...newer], 0));
      expect(Array.from(replaced.tracks.ids)).toEqual(Array.from(expected.tracks.ids));
      expect(replaced.tracks.names).toEqual(expected.tracks.names);
      expect(replaced.labels.counts.reduce((sum, count) => sum + count, 0)).toBe(
        replaced.tracks.labels.length,
      );
    }),
    { numRuns: 20 },
  );
});
