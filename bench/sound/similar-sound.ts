/**
 * Similar tracks by sound in the index: `node bench/sound/similar-sound.ts [TRACKS] [FOLDER]`. Prints the processor time of a
 * query by sound and by both, with filters of several shares of the tracks, and the recall of the exact best 20. The sounds are
 * drawn around 300 centers in 16 dimensions, with noise in all 64; or, with a folder of recordings, they are those of the
 * recordings with noise of half their deviation.
 */
import { seededRandom } from '../../src/common/seeded-random.ts';
import { buildSegment } from '../../src/engines/search/build/segment-builder.ts';
import { runSteps } from '../../src/engines/search/build/steps.ts';
import type { IndexEntry } from '../../src/engines/search/catalog-index.ts';
import { SegmentedIndex } from '../../src/engines/search/segmented-index.ts';
import { Segment } from '../../src/engines/search/segments/segment.ts';
import { realSounds } from './real-sounds.ts';

const TRACKS = Number(process.argv[2] ?? 1_000_000);
const FOLDER = process.argv[3];
const QUERIES = 100;
const WARM_UP = 30;
const COMPARED = 20;
const DIMENSIONS = 16;
const CENTERS = 300;
/** A filter for each, which one of so many tracks has. */
const EVERY = [1, 2, 5, 20, 100];
const GENRES = 20;

const random = seededRandom('similar-sound');
const normal = () =>
  Math.sqrt(-2 * Math.log(random.next() + 1e-9)) * Math.cos(2 * Math.PI * random.next());
const numbers = (length: number) => Float64Array.from({ length }, normal);
const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random.next() * items.length)]!;
const byte = (value: number) => Math.max(-127, Math.min(127, Math.round(value)));
const axes = Array.from({ length: 64 }, () => numbers(DIMENSIONS));
const centers = Array.from({ length: CENTERS }, () => numbers(DIMENSIONS));
const real = FOLDER === undefined ? [] : await realSounds(FOLDER);
const deviations = axes.map((_, i) => {
  const mean = real.reduce((sum, one) => sum + one[i]!, 0) / real.length;
  return Math.sqrt(real.reduce((sum, one) => sum + (one[i]! - mean) ** 2, 0) / real.length);
});

function newSound(): Int8Array {
  if (real.length > 0) {
    return oneOf(real).map((value, i) => byte(value + 0.5 * deviations[i]! * normal()));
  }
  const point = oneOf(centers).map((one) => 0.8 * one + 0.6 * normal());
  return Int8Array.from(axes, (axis) => {
    const sum = axis.reduce((total, one, i) => total + one * point[i]!, 0);
    return byte(8 * (sum + 1.5 * normal()));
  });
}

const idOf = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
const filterOf = (every: number) => idOf(1_000_000_000 + every);
const genreOf = (i: number) => idOf(2_000_000_000 + (i % GENRES));
/** Without a pattern in the order of tracks. */
const has = (i: number, every: number) => ((i * 7_919) % 1_000_003) % every === 0;
const isMusic = (i: number) => i % 20 !== 0;

const sounds = new Int8Array(TRACKS * 64);
function* entries(): Generator<IndexEntry> {
  for (let i = 0; i < TRACKS; i++) {
    const sound = newSound();
    sounds.set(sound, i * 64);
    yield {
      ...{ rowId: i + 1, id: idOf(i), name: `Track ${i}`, type: isMusic(i) ? 'music' : 'sfx' },
      ...{ hasVocals: i % 3 === 0, bpm: 60 + (i % 100), songKeys: [], releasedAt: i },
      ...{ durationSeconds: 0, isrc: '', region: 'WORLD', tags: [] },
      filterIds: [genreOf(i), ...EVERY.filter((every) => has(i, every)).map(filterOf)],
      artists: [`Artist ${i % 50_000}`],
      sound: new Uint8Array(sound.buffer),
    };
  }
}

const index = new SegmentedIndex(new Segment(runSteps(buildSegment(entries(), 0))));
const compared = {
  genres: new Set(Array.from({ length: GENRES }, (_, i) => genreOf(i))),
  moods: new Set<string>(),
};

function exact(seed: Int8Array, every: number): number[] {
  const best: { rowId: number; cosine: number }[] = [];
  for (let i = 0; i < TRACKS; i++) {
    if (!(isMusic(i) && has(i, every))) continue;
    let [product, square] = [0, 0];
    for (let at = 0; at < 64; at++) {
      const value = sounds[i * 64 + at]!;
      product += seed[at]! * value;
      square += value * value;
    }
    const cosine = product / Math.sqrt(square);
    if (best.length === 20 && cosine <= best[19]!.cosine) continue;
    best.push({ rowId: i + 1, cosine });
    best.sort((a, b) => b.cosine - a.cosine).splice(20);
  }
  return best.map(({ rowId }) => rowId);
}

function bySound(sound: Int8Array, every: number) {
  const example = { sound: new Uint8Array(sound.buffer), bpm: 0, songKeys: [] };
  const query = { limit: 20, bpmRange: 20, type: 'music', example } as const;
  return index.soundingLike({ ...query, filterIds: [filterOf(every)] }, compared);
}

async function byBoth(seed: number, every: number) {
  const query = { id: idOf(seed), by: 'both', limit: 20, bpmRange: 20, type: 'music' } as const;
  await index.similar({ ...query, filterIds: [filterOf(every)] }, compared);
}

async function timesOf(query: () => unknown): Promise<string> {
  const times: number[] = [];
  for (let i = -WARM_UP; i < QUERIES; i++) {
    const before = process.threadCpuUsage();
    await query();
    const { user, system } = process.threadCpuUsage(before);
    if (i >= 0) times.push((user + system) / 1_000);
  }
  times.sort((a, b) => a - b);
  return `median ${times[QUERIES / 2]!.toFixed(1)} ms, p99 ${times[QUERIES - 1]!.toFixed(1)} ms`;
}

for (const every of EVERY) {
  const drawn = Array.from({ length: QUERIES }, newSound);
  const sound = await timesOf(() => bySound(oneOf(drawn), every));
  const both = await timesOf(() => byBoth(Math.floor(random.next() * TRACKS), every));
  let found = 0;
  for (const seed of drawn.slice(0, COMPARED)) {
    const rowIds = new Set(bySound(seed, every).map(({ rowId }) => rowId));
    found += exact(seed, every).filter((rowId) => rowIds.has(rowId)).length;
  }
  const recall = (found / (20 * COMPARED)).toFixed(3);
  process.stdout.write(
    `one of ${every} tracks: by sound ${sound}; recall ${recall}; by both ${both}\n`,
  );
}
