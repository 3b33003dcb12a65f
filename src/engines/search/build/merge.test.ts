import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddName, plainName, recipe, tracksOf } from '../arbitrary-catalog.test-support.ts';
import type { IndexEntry } from '../catalog-index.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import { columnsOf } from '../segments/snapshot.ts';
import { wordsFor } from '../sets/bits.ts';
import { countRebuilt, dueFrom, mergeSegments } from './merge.ts';
import { buildSegment } from './segment-builder.ts';
import { runSteps } from './steps.ts';

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

const whole = (size: number) => ({ size, live: size });

/** Changes of one size after another, as an index takes them in, with the merges that are due. */
function grown(changes: readonly number[], base = 1_000_000) {
  let parts = [whole(base)];
  let written = 0;
  for (const added of changes) {
    const rebuilt = countRebuilt(parts.slice(1), added);
    const kept = parts.slice(0, parts.length - rebuilt);
    parts = [...kept, whole(sum(parts.slice(kept.length)) + added)];
    written += parts.at(-1)!.size;
    for (let from = dueFrom(parts, 1_000); from !== undefined; from = dueFrom(parts, 1_000)) {
      parts = [...parts.slice(0, from), whole(sum(parts.slice(from)))];
      written += parts.at(-1)!.size;
    }
  }
  return { parts, written };
}

function sum(parts: readonly { live: number }[]): number {
  return parts.reduce((total, { live }) => total + live, 0);
}

describe('the plan of merges', () => {
  it('leaves segments of which each is larger than all newer ones together', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 60 }), (changes) => {
        const { parts } = grown(changes);
        expect(sum(parts)).toBe(1_000_000 + sum(changes.map(whole)));
        parts.forEach(({ size }, i) => {
          expect(sum(parts.slice(i + 1))).toBeLessThan(size);
        });
        expect(sum(parts.slice(1))).toBeLessThanOrEqual(parts[0]!.size / 10);
      }),
    );
  });

  it('writes a track a few times, and the base once for each tenth that it grows', () => {
    const { parts, written } = grown(Array.from({ length: 300 }, () => 256));
    // 76,800 tracks, less than a tenth. Built in fours of 256, a track is then written once for each doubling.
    expect(written / sum(parts.slice(1))).toBeLessThan(12);
    const together = grown(Array.from({ length: 10 }, () => 50_000));
    expect(together.written).toBeLessThan(10_000_000);
  });

  it('merges a segment that has lost most of its tracks', () => {
    expect(dueFrom([whole(100_000), { size: 5_000, live: 2_000 }, whole(1_000)], 1_000)).toBe(
      undefined,
    );
    expect(dueFrom([whole(100_000), { size: 5_000, live: 500 }, whole(500)], 1_000)).toBe(1);
    expect(dueFrom([{ size: 100_000, live: 89_999 }], 1_000)).toBe(0);
    expect(dueFrom([{ size: 1_000, live: 1 }], 1_000)).toBe(undefined);
  });
});
