import fc from 'fast-check';
import { expect, it } from 'vitest';
import { identity } from '../arbitrary-catalog.test-support.ts';
import { buildSegment } from '../build/segment-builder.ts';
import { runSteps } from '../build/steps.ts';
import type { IndexEntry } from '../catalog-index.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import { gramKey } from '../text/word-list.ts';
import { wordsFor } from './bits.ts';

/** Two pieces of three units with the same key. */
const COLLIDING = ['一丁丂', collidingWith('一丁丂')];

function collidingWith(piece: string): string {
  for (let first = 0x4e00; first < 0x9fff; first++) {
    for (let second = 0x4e00; second < 0x9fff; second++) {
      const beginning = String.fromCharCode(first, second);
      const third = (gramKey(piece, 0, 3) - gramKey(`${beginning}\0`, 0, 3)) >>> 0;
      const other = beginning + String.fromCharCode(third);
      if (third >= 0x4e00 && third < 0x9fff && other !== piece) return other;
    }
  }
  throw new Error('no two pieces have the same key');
}

/** A segment whose tracks have these words in their names, and in the same order. */
function segmentOf(names: readonly string[][]): SegmentColumns {
  const entries = names.map(
    (words, i): IndexEntry => ({
      ...identity(i),
      name: words.join(' '),
      type: 'music',
      hasVocals: false,
      releasedAt: -i,
      durationSeconds: 0,
      bpm: 0,
      songKeys: [],
      filterIds: [],
      isrc: '',
      region: 'WORLD',
      artists: [words.join(' ')],
      tags: [],
    }),
  );
  return runSteps(buildSegment(entries, 0, { kernelFrom: 0 }));
}

/** The tracks of each text that more than one track in 32 has. */
function denseOf(names: readonly string[][], textsOf: (word: string) => string[]) {
  const found = new Map<string, number[]>();
  for (const [ordinal, words] of names.entries()) {
    for (const text of new Set(words.flatMap(textsOf))) {
      found.set(text, [...(found.get(text) ?? []), ordinal]);
    }
  }
  return new Map([...found].filter(([, tracks]) => tracks.length > names.length >>> 5).sort());
}

const LENGTHS = [1, 2, 3];

const piecesOf = (word: string) =>
  LENGTHS.flatMap((length) =>
    Array.from({ length: Math.max(0, word.length - length + 1) }, (_, i) =>
      word.slice(i, i + length),
    ),
  );

const beginningsOf = (word: string) =>
  LENGTHS.filter((length) => length <= word.length).map((length) => word.slice(0, length));

function tracksIn(bits: Uint32Array): number[] {
  return Array.from({ length: bits.length * 32 }, (_, i) => i).filter(
    (i) => ((bits[i >>> 5]! >>> (i & 31)) & 1) === 1,
  );
}

const word = fc.oneof(
  fc.constantFrom(...COLLIDING, `${COLLIDING[0]}${COLLIDING[1]}`, 'a', 'ab'),
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), minLength: 1, maxLength: 6 }),
);

it('the pieces and beginnings that one track in 32 has get bitsets of their tracks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 80 }),
      (names) => {
        const { words, artistWords, meta } = segmentOf(names);
        const length = wordsFor(names.length);
        for (const [dictionary, of] of [
          [words, meta.words],
          [artistWords, meta.artistWords],
        ] as const) {
          const tracksAt = (slot: number) =>
            tracksIn(dictionary.pieceBits.subarray(slot * length, (slot + 1) * length));
          const pieces = of.densePieces.map((text, i) => [text, tracksAt(i)] as const);
          const beginnings = of.denseBeginnings.map(
            (text, i) => [text, tracksAt(pieces.length + i)] as const,
          );
          expect(new Map([...pieces].sort())).toEqual(denseOf(names, piecesOf));
          expect(new Map([...beginnings].sort())).toEqual(denseOf(names, beginningsOf));
        }
      },
    ),
    { numRuns: 60 },
  );
});
