/**
 * Similar tracks by sound in the index: `node bench/sound/similar-sound.ts [TRACKS]`. Prints the processor time of a query and
 * the recall of the exact best 20. The vectors are drawn around 300 centers in 16 dimensions, with noise in all 64.
 */
import { seededRandom } from '../../src/common/seeded-random.ts';
import { buildSegment } from '../../src/engines/search/build/segment-builder.ts';
import { runSteps } from '../../src/engines/search/build/steps.ts';
import type { IndexEntry } from '../../src/engines/search/catalog-index.ts';
import { SegmentedIndex } from '../../src/engines/search/segmented-index.ts';
import { Segment } from '../../src/engines/search/segments/segment.ts';

const TRACKS = Number(process.argv[2] ?? 1_000_000);
const QUERIES = 100;
const WARM_UP = 30;
const COMPARED = 5;
const DIMENSIONS = 16;
const CENTERS = 300;

const random = seededRandom('similar-sound');
const normal = () =>
  Math.sqrt(-2 * Math.log(random.next() + 1e-9)) * Math.cos(2 * Math.PI * random.next());
const numbers = (length: number) => Float64Array.from({ length }, normal);
const axes = Array.from({ length: 64 }, () => numbers(DIMENSIONS));
const centers = Array.from({ length: CENTERS }, () => numbers(DIMENSIONS));

function vector(): Uint8Array {
  const center = centers[Math.floor(random.next() * CENTERS)]!;
  const point = center.map((one) => 0.8 * one + 0.6 * normal());
  const values = axes.map((axis) => {
    const sum = axis.reduce((total, one, i) => total + one * point[i]!, 0);
    return Math.max(-127, Math.min(127, Math.round(8 * (sum + 1.5 * normal()))));
  });
  return new Uint8Array(new Int8Array(values));
}

function track(i: number): IndexEntry {
  return {
    rowId: i + 1,
    id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    name: `Track ${i}`,
    ...{ type: i % 20 === 0 ? 'sfx' : 'music', hasVocals: i % 3 === 0, bpm: 0, songKeys: [] },
    ...{ releasedAt: i, durationSeconds: 0, isrc: '', region: 'WORLD', tags: [] },
    filterIds: i % 100 === 0 ? ['f0000000-0000-4000-8000-000000000001'] : [],
    artists: [`Artist ${i % 50_000}`],
    sound: vector(),
  };
}

const entries: IndexEntry[] = Array.from({ length: TRACKS }, (_, i) => track(i));
const index = new SegmentedIndex(new Segment(runSteps(buildSegment(entries, 0))));
const none = { genres: new Set<string>(), moods: new Set<string>() };

function exact(seed: Int8Array, type: string): number[] {
  const length = (one: Int8Array) => Math.sqrt(one.reduce((sum, n) => sum + n * n, 0));
  const scores = entries
    .filter((entry) => entry.type === type)
    .map(({ rowId, sound }) => {
      const other = new Int8Array(sound!);
      const product = other.reduce((sum, n, i) => sum + n * seed[i]!, 0);
      return { rowId, cosine: product / length(seed) / length(other) };
    });
  return scores
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, 20)
    .map(({ rowId }) => rowId);
}

for (const [name, restriction] of [
  ['by sound', {}],
  ['by sound, a filter of 1 %', { filterIds: ['f0000000-0000-4000-8000-000000000001'] }],
] as const) {
  const times: number[] = [];
  for (let i = -WARM_UP; i < QUERIES; i++) {
    const before = process.threadCpuUsage();
    const example = { sound: vector(), bpm: 0, songKeys: [] };
    const drawn = process.threadCpuUsage(before).user / 1_000;
    index.soundingLike({ limit: 20, bpmRange: 20, type: 'music', example, ...restriction }, none);
    const used = process.threadCpuUsage(before).user / 1_000 - drawn;
    if (i >= 0) times.push(used);
  }
  times.sort((a, b) => a - b);
  process.stdout.write(
    `${name}: median ${times[QUERIES / 2]!.toFixed(2)} ms, p99 ${times[QUERIES - 1]!.toFixed(2)} ms\n`,
  );
}
let found = 0;
for (let i = 0; i < COMPARED; i++) {
  const sound = vector();
  const example = { sound, bpm: 0, songKeys: [] };
  const query = { limit: 20, bpmRange: 20, type: 'music', example } as const;
  const rowIds = new Set(index.soundingLike(query, none).map(({ rowId }) => rowId));
  found += exact(new Int8Array(sound), 'music').filter((rowId) => rowIds.has(rowId)).length;
}
process.stdout.write(`recall of the best 20: ${(found / (20 * COMPARED)).toFixed(3)}\n`);
