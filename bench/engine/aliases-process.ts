/**
 * Builds the engine over a synthetic catalog with translations, and times queries with and without them, in a separate
 * process so that its memory can be measured. Reads an `AliasesJob` as JSON and prints an `AliasesResult`.
 */
import { readFileSync } from 'node:fs';
import { indexEntries, type Translated } from '../catalog.ts';
import { quantiles } from '../figures.ts';
import { coldQueries, QueryStream } from '../queries/mix.ts';
import { queryIndex } from '../queries/query.ts';
import { Vocabulary } from '../queries/vocabulary.ts';
import { readRealParts } from '../real-parts.ts';
import { buildIndexOver } from './build-index-over.ts';

export interface AliasesJob {
  /** The number of tracks of the catalog. */
  size: number;
  dataFolder: string;
  translated: Translated;
  /** None measures the memory alone. */
  rounds: number;
  /** The number of queries of the mix in each round. */
  queries: number;
}

export interface AliasesResult {
  /** What the index adds to the memory of the process. */
  megabytes: number;
  /** The p99 of each round, in milliseconds. */
  p99: { without: number[]; with: number[] };
  /** The sum of the results of all queries, so that the work cannot be optimized away. */
  found: number;
}

/** Queries before the first round, so that the code is compiled. */
const WARM_UP_QUERIES = 3_000;

async function run(job: AliasesJob): Promise<AliasesResult> {
  const parts = await readRealParts(job.dataFolder);
  const before = usedBytes();
  const index = buildIndexOver(indexEntries(job.size, parts, job.translated));
  const megabytes = (usedBytes() - before) / 1e6;

  let found = 0;
  const p99: AliasesResult['p99'] = { without: [], with: [] };
  if (job.rounds > 0) {
    const stream = new QueryStream('mix', new Vocabulary(parts, job.size), 'translations');
    const queries = coldQueries(stream, WARM_UP_QUERIES + job.rounds * job.queries);
    const time = (some: typeof queries, aliases: boolean) =>
      quantiles(
        some.map((query) => {
          const startedAt = performance.now();
          found += queryIndex(index, query, aliases);
          return performance.now() - startedAt;
        }),
      ).p99;
    const warmUp = queries.splice(0, WARM_UP_QUERIES);
    for (const aliases of [false, true]) time(warmUp, aliases);
    for (let round = 0; round < job.rounds; round++) {
      const some = queries.splice(0, job.queries);
      // Which one is first changes, because the second one finds more in the caches of the processor.
      for (const aliases of round % 2 === 0 ? [false, true] : [true, false]) {
        p99[aliases ? 'with' : 'without'].push(time(some, aliases));
      }
    }
  }
  return { megabytes, p99, found: found + index.size };
}

function usedBytes(): number {
  // Buffers are freed after the collection that finds them.
  for (let i = 0; i < 2; i++) globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(readFileSync(0, 'utf8'))))}\n`);
