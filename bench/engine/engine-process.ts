/**
 * Builds the engine over a synthetic catalog and times one query after another, in a separate process so that
 * its memory can be measured. Reads an `EngineJob` as JSON and prints an `EngineResult`.
 */
import { readFileSync } from 'node:fs';
import { seededRandom } from '../../src/common/seeded-random.ts';
import type { CatalogIndex, IndexEntry } from '../../src/engines/search/catalog-index.ts';
import { indexEntries } from '../catalog.ts';
import { type Quantiles, quantiles } from '../figures.ts';
import { memoryMegabytes } from '../processes.ts';
import { QUERY_KINDS, type QueryKind } from '../queries/kinds.ts';
import { coldQueries, QueryStream } from '../queries/mix.ts';
import { type BenchQuery, queryIndex } from '../queries/query.ts';
import { shuffled, Vocabulary } from '../queries/vocabulary.ts';
import { readRealParts } from '../real-parts.ts';
import { buildIndexOver } from './build-index-over.ts';

export interface EngineJob {
  /** The number of tracks of the catalog. */
  size: number;
  dataFolder: string;
  rounds: number;
  /** The number of queries of each kind in each round, if the time allows. */
  queries: number;
  /** The greatest time of each kind in each round. */
  seconds: number;
}

/** The timed groups: each kind alone, and the mix of all kinds. */
export type Timed = QueryKind | 'mix';

export interface EngineResult {
  /** The time to build the index from tracks in memory, without the creation of the tracks. */
  buildSeconds: number;
  /** The memory of the process with only the index, and the peak during the build. */
  megabytes: number;
  peakMegabytes: number;
  /** The times of each round, in milliseconds. */
  times: Record<Timed, Quantiles[]>;
  /** The sum of the results of all queries, which is equal for engines with equal results. */
  found: number;
}

const TIMED = [...Object.keys(QUERY_KINDS), 'mix'] as Timed[];
/** Queries before the first round, so that the code is compiled. */
const WARM_UP_QUERIES = 300;

async function run(job: EngineJob): Promise<EngineResult> {
  const parts = await readRealParts(job.dataFolder);
  const { entries, secondsSpent } = clocked(indexEntries(job.size, parts));
  const startedAt = performance.now();
  const index = buildIndexOver(entries);
  const buildSeconds = (performance.now() - startedAt) / 1000 - secondsSpent();
  globalThis.gc?.();

  const vocabulary = new Vocabulary(parts, job.size);
  const memory = {
    megabytes: memoryMegabytes(process.pid, 'VmRSS'),
    peakMegabytes: memoryMegabytes(process.pid, 'VmHWM'),
  };
  const times = Object.fromEntries(TIMED.map((kind) => [kind, [] as Quantiles[]]));
  const queries = new Map(TIMED.map((kind) => [kind, queriesOf(kind, vocabulary, job)]));
  for (const list of queries.values()) {
    time(index, list.splice(0, WARM_UP_QUERIES), job.seconds);
  }
  for (let round = 0; round < job.rounds; round++) {
    for (const [kind, list] of queries) {
      times[kind]!.push(time(index, list.splice(0, job.queries), job.seconds));
    }
  }
  return { buildSeconds, ...memory, times: times as EngineResult['times'], found };
}

/**
 * Draws the queries of all rounds together and shuffles them, because later draws contain fewer frequent
 * words.
 */
function queriesOf(kind: Timed, vocabulary: Vocabulary, job: EngineJob): BenchQuery[] {
  const count = WARM_UP_QUERIES + job.queries * job.rounds;
  const stream = new QueryStream(kind, vocabulary, 'the engine');
  return shuffled(seededRandom(kind), coldQueries(stream, count));
}

function time(index: CatalogIndex, queries: readonly BenchQuery[], seconds: number): Quantiles {
  const milliseconds: number[] = [];
  const endsAt = performance.now() + seconds * 1000;
  for (const query of queries) {
    const startedAt = performance.now();
    if (startedAt > endsAt) break;
    found += queryIndex(index, query);
    milliseconds.push(performance.now() - startedAt);
  }
  return quantiles(milliseconds);
}
/** The sum of the results of all queries. */
let found = 0;

/** Returns the entries, and a function that returns the time of their creation. */
function clocked(entries: Iterable<IndexEntry>): {
  entries: Iterable<IndexEntry>;
  secondsSpent(): number;
} {
  let milliseconds = 0;
  function* counted(): Generator<IndexEntry> {
    const source = entries[Symbol.iterator]();
    for (;;) {
      const startedAt = performance.now();
      const step = source.next();
      milliseconds += performance.now() - startedAt;
      if (step.done) return;
      yield step.value;
    }
  }
  return { entries: counted(), secondsSpent: () => milliseconds / 1000 };
}

const result = await run(JSON.parse(readFileSync(0, 'utf8')));
process.stdout.write(`${JSON.stringify(result)}\n`);
