import { expect, it } from 'vitest';
import { seededRandom } from '../../../common/seeded-random.ts';
import { identity } from '../arbitrary-catalog.test-support.ts';
import type { IndexEntry } from '../catalog-index.ts';
import { builtOver } from '../engine.test-support.ts';
import { product, SOUND_BYTES, squareOf } from '../sets/sounds.ts';

/** More than are all compared. */
const TRACKS = 120_000;
const SEEDS = 20;
const BEST = 20;

const random = seededRandom('sounds of many tracks');
/** About normally distributed, of variance 1. */
const noise = () => (random.next() + random.next() + random.next() + random.next() - 2) * 1.73;
const centers = Array.from({ length: 200 }, () =>
  Float64Array.from({ length: SOUND_BYTES }, noise),
);

function newSound(): Int8Array {
  return random.pick(centers).map((value) => 20 * value + 20 * noise()) as unknown as Int8Array;
}

const sounds = new Int8Array(TRACKS * SOUND_BYTES);
const entries = Array.from({ length: TRACKS }, (_, i): IndexEntry => {
  sounds.set(newSound(), i * SOUND_BYTES);
  return {
    ...{ ...identity(i), name: 'A', type: 'music', hasVocals: false, releasedAt: i, bpm: 0 },
    ...{ durationSeconds: 0, songKeys: [], filterIds: [], isrc: '', region: 'WORLD', tags: [] },
    artists: [],
    sound: new Uint8Array(sounds.buffer, i * SOUND_BYTES, SOUND_BYTES),
  };
});
const compared = { genres: new Set<string>(), moods: new Set<string>() };

function exactlyBest(seed: Int8Array): number[] {
  const cosines = Float64Array.from({ length: TRACKS }, (_, i) => {
    return product(seed, sounds, i) / Math.sqrt(squareOf(sounds, i));
  });
  const least = cosines.toSorted().at(-BEST)!;
  return entries.flatMap(({ rowId }, i) => (cosines[i]! >= least ? rowId : []));
}

it('finds at least 95 % of the best tracks of many, and the same in several segments', async () => {
  const whole = builtOver(entries);
  const parts = builtOver(entries.slice(0, 70_000), { mergeAtLeast: TRACKS });
  await parts.apply(entries.slice(70_000), [], 1);
  let found = 0;
  for (let i = 0; i < SEEDS; i++) {
    const seed = Int8Array.from(newSound());
    const example = { sound: new Uint8Array(seed.buffer), bpm: 0, songKeys: [] };
    const query = { example, limit: BEST, bpmRange: 20 };
    const best = whole.soundingLike(query, compared);
    expect(parts.soundingLike(query, compared)).toEqual(best);
    const exact = new Set(exactlyBest(seed));
    found += best.filter(({ rowId }) => exact.has(rowId)).length;
  }
  expect(found / (SEEDS * BEST)).toBeGreaterThanOrEqual(0.95);
});
