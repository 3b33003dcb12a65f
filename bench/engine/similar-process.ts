/**
 * Builds the engine over a synthetic catalog and times requests for similar tracks, in a separate process so that
 * its memory can be measured. Reads a `SimilarJob` as JSON and prints a `SimilarResult`.
 */
import { readFileSync } from 'node:fs';
import { type SeededRandom, seededRandom } from '../../src/common/seeded-random.ts';
import type {
  CatalogIndex,
  ComparedFilters,
  IndexEntry,
} from '../../src/engines/search/catalog-index.ts';
import { indexEntries, trackId } from '../catalog.ts';
import { type Quantiles, quantiles } from '../figures.ts';
import { type RealParts, readRealParts } from '../real-parts.ts';
import { buildIndexOver } from './build-index-over.ts';

export interface SimilarJob {
  /** The number of tracks of the catalog. */
  size: number;
  /** The number of random sets of genres and moods that replace the real ones; 0 for the real ones. */
  sets: number;
  dataFolder: string;
  rounds: number;
  /** The number of requests in each round. */
  requests: number;
}

export interface SimilarResult {
  /** The time of the first request, which prepares the index. */
  firstSeconds: number;
  /** The memory that the first request added to the index. */
  megabytes: number;
  /** The times of each round, in milliseconds. */
  times: Quantiles[];
}

async function run({
  size,
  sets,
  dataFolder,
  rounds,
  requests,
}: SimilarJob): Promise<SimilarResult> {
  const parts = await readRealParts(dataFolder);
  const compared = comparedOf(parts);
  const random = seededRandom('similar');
  const entries = indexEntries(size, parts);
  const index = buildIndexOver(
    sets > 0 ? withRandomSets(entries, sets, compared, random) : entries,
  );
  const before = arrayMegabytes();
  const startedAt = performance.now();
  await request(index, trackId(1), compared);
  const firstSeconds = (performance.now() - startedAt) / 1000;
  const megabytes = arrayMegabytes() - before;
  const times: Quantiles[] = [];
  // The first round is not measured, so that the code is compiled.
  for (let round = 0; round <= rounds; round++) {
    const milliseconds: number[] = [];
    for (let i = 0; i < requests; i++) {
      const id = trackId(random.integer(1, size));
      const requestedAt = performance.now();
      await request(index, id, compared);
      milliseconds.push(performance.now() - requestedAt);
    }
    if (round > 0) times.push(quantiles(milliseconds));
  }
  return { firstSeconds, megabytes, times };
}

/** Requests as many tracks as the API returns at most. */
function request(index: CatalogIndex, id: string, compared: ComparedFilters): Promise<unknown> {
  return index.similar({ id, limit: 100, bpmRange: 20 }, compared);
}

function comparedOf({ filterLists }: RealParts): ComparedFilters {
  const idsOf = (wanted: string) =>
    new Set(filterLists.flat().flatMap(({ id, type }) => (type === wanted ? [id] : [])));
  return { genres: idsOf('genre'), moods: idsOf('mood') };
}

/** Gives the tracks random sets of up to three genres and four moods in turn. */
function* withRandomSets(
  entries: Iterable<IndexEntry>,
  count: number,
  { genres, moods }: ComparedFilters,
  random: SeededRandom,
): Generator<IndexEntry> {
  const draw = (ids: ReadonlySet<string>, most: number) => {
    const all = [...ids];
    return Array.from({ length: most }, () => random.pick(all));
  };
  const sets = Array.from({ length: count }, () => [
    ...new Set([...draw(genres, 3), ...draw(moods, 4)]),
  ]);
  let next = 0;
  for (const entry of entries) yield { ...entry, filterIds: sets[next++ % count]! };
}

function arrayMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().arrayBuffers / 1e6;
}

const result = await run(JSON.parse(readFileSync(0, 'utf8')));
process.stdout.write(`${JSON.stringify(result)}\n`);
