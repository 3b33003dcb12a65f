import { trackId } from '../catalog.ts';
import { createBenchClient, tokenFor } from '../client.ts';
import type { SimilarJob, SimilarResult } from '../engine/similar-process.ts';
import { shown, shownSpread, spread } from '../figures.ts';
import { load, runProgram, serve } from '../processes.ts';
import type { Row, Table } from '../row.ts';
import type { BenchData } from './data-folder.ts';
import { jobOf } from './throughput.ts';

const PORT = 18_096;
const SECONDS = 4;
const REQUESTS = 1_000;
/** The number of sets of genres and moods in the catalog with many sets. */
const MANY_SETS = 100_000;
/** The number of different requests of the hot load. */
const HOT = 200;

export interface SimilarFigures {
  /** The engine alone: the catalog, its size, and the times. */
  engine: { catalog: string; size: number; result: SimilarResult }[];
  /** The requests per second of the service in each round. */
  throughput: { similar: number; page: number }[];
}

/** Times the engine alone at each size, and with many sets, and then the service under hot load. */
export async function measureSimilar(options: {
  sizes: readonly number[];
  serverSize: number;
  dataFolder: string;
  rounds: number;
  data: BenchData;
}): Promise<SimilarFigures> {
  const { sizes, serverSize, dataFolder, rounds, data } = options;
  const engine: SimilarFigures['engine'] = [];
  const catalogs = [
    ...sizes.map((size) => ({ catalog: 'the catalog of the search', size, sets: 0 })),
    { catalog: `${shown(MANY_SETS)} random sets`, size: serverSize, sets: MANY_SETS },
  ];
  for (const { catalog, size, sets } of catalogs) {
    const job: SimilarJob = { size, sets, dataFolder, rounds, requests: REQUESTS };
    const program = new URL('../engine/similar-process.ts', import.meta.url);
    const memory = ['--expose-gc', '--max-old-space-size=18000'];
    engine.push({ catalog, size, result: await runProgram(program, job, memory) });
  }
  return { engine, throughput: await measureThroughput(data, rounds) };
}

/** Requests similar tracks and pages of 20 in turn. */
async function measureThroughput(
  data: BenchData,
  rounds: number,
): Promise<SimilarFigures['throughput']> {
  const client = await createBenchClient(data.settings, 'similar');
  const server = await serve(data.settings, PORT);
  try {
    const authorizations = [await tokenFor(server.port, client)];
    const numbers = Array.from({ length: HOT }, (_, i) => 1 + Math.floor((i * data.tracks) / HOT));
    const rate = async (paths: string[]) => {
      const job = jobOf({ port: server.port, authorizations }, paths, SECONDS, false);
      return (await load(job)).requestsPerSecond;
    };
    const similar = numbers.map((no) => `/v1/tracks/${trackId(no)}/similar`);
    const pages = numbers.map((_, i) => `/v1/tracks?pageSize=20&page=${i + 1}`);
    const figures: SimilarFigures['throughput'] = [];
    await rate(similar);
    await rate(pages);
    for (let round = 0; round < rounds; round++) {
      figures.push({ similar: await rate(similar), page: await rate(pages) });
    }
    return figures;
  } finally {
    await server.stop();
  }
}

/** The figures that have a goal. */
export function similarRows({ engine, throughput }: SimilarFigures, size: number): Row[] {
  const ratios = throughput.map(({ similar, page }) => similar / page);
  return [
    ...engine
      .filter((one) => one.size === size)
      .map(({ catalog, result }) => ({
        what: `engine time: 100 similar tracks, ${catalog}`,
        at: size.toLocaleString('en'),
        figure: `p99 ${shownSpread(spread(result.times.map(({ p99 }) => p99)), ' ms')}`,
        goal: catalog.includes('random') ? 'p99 under 50 ms' : 'p99 under 5 ms',
      })),
    {
      what: 'throughput of 20 similar tracks, hot, against a page of 20',
      at: size.toLocaleString('en'),
      figure: shownSpread(spread(ratios)),
      goal: 'at least 0.5',
    },
  ];
}

/** The engine at every size. */
export function similarTable({ engine }: SimilarFigures): Table {
  return {
    title: 'Similar tracks: the engine alone',
    note: 'Milliseconds per request of 100 tracks, p50 / p99 / p99.9, in one thread; medians over the rounds. The first request groups the tracks by their genres and moods.',
    header: ['catalog', 'tracks', 'ms', 'first request', 'memory that it adds'],
    rows: engine.map(({ catalog, size, result }) => [
      catalog,
      size.toLocaleString('en'),
      (['p50', 'p99', 'p999'] as const)
        .map((figure) => shown(spread(result.times.map((round) => round[figure])).median))
        .join(' / '),
      `${shown(result.firstSeconds)} s`,
      `${shown(result.megabytes)} MB`,
    ]),
  };
}
