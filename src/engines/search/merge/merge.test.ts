import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oddName, plainName, recipe, tracksOf } from '../arbitrary-catalog.test-support.ts';
import { buildSegment } from '../build/segment-builder.ts';
import type { IndexEntry } from '../catalog-index.ts';
import { runSteps } from '../query/steps.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import { columnsOf } from '../segments/snapshot.ts';
import { wordsFor } from '../sets/bits.ts';
import { mergeSegments } from './merge.ts';

/** The columns by name, and the description of the segment. */
function contents(columns: SegmentColumns) {
  return { meta: columns.meta, columns: [...columnsOf(columns)] };
}

function inCatalogOrder(a: IndexEntry, b: IndexEntry): number {
  return b.releasedAt - a.releasedAt || (a.id < b.id ? -1 : 1);
}

it('a merge has the columns of a segment that is built from the live tracks of all parts', () => {
  fc.assert(
    fc.property(
      recipe(fc.oneof(oddName, plainName)),
      fc.array(fc.nat(2_000), { maxLength: 3 }),
      fc.constantFrom(1, 2, 3, 40),
      fc.constantFrom(0, 10_000),
      (given, cuts, stride, kernelFrom) => {
        const entries = tracksOf(given);
        const ends = [...cuts, entries.length].sort((a, b) => a - b);
        const kept: IndexEntry[] = [];
        const parts = ends.map((end, part) => {
          const ofPart = entries.slice(ends[part - 1] ?? 0, end).sort(inCatalogOrder);
          const live = new Uint32Array(wordsFor(ofPart.length));
          ofPart.forEach((entry, ordinal) => {
            if (part > 0 && ordinal % stride === 1) return;
            live[ordinal >>> 5]! |= 1 << (ordinal & 31);
            kept.push(entry);
          });
          return { columns: runSteps(buildSegment(ofPart, 1, { kernelFrom })), live };
        });
        const merged = runSteps(mergeSegments({ parts, isWhole: true, seq: 7 }, { kernelFrom }));
        const built = runSteps(buildSegment(kept, 7, { kernelFrom }));
        expect(contents(merged)).toEqual(contents(built));
      },
    ),
    { numRuns: 40 },
  );
});
