import { CLIENTS, createBenchClients, tokensFor } from './client.ts';
import { spread } from './figures.ts';
import { load, type Server, serve, serveProgram } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';

const CONNECTIONS = 32;
const SECONDS = 4;

const FIRST_PAGE = 'the first page, repeatedly';
export const FIFTY_WORDS = 'the first page for each of fifty words';

/**
 * Compares the service with the real catalogs with the limit, a server that sends a constant of the same size as a
 * page of 20. Both run at once and are measured alternately. The result is the ratio of each round.
 */
export async function measurePage(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  const { settings, tracks } = await importRealTracks(options.folder, options.dataFolder);
  const clients = await createBenchClients(settings);
  const server = await serve(settings, 18_092);
  const authorizations = await tokensFor(server.port, clients);
  const one = authorizations.slice(0, 1);
  const sizeBytes = await pageSizeBytes(server.port, one[0]!);
  const limit: Server = await serveProgram(new URL('limits/bare-server.ts', import.meta.url), {
    sizeBytes,
  });

  const rows: Row[] = [];
  const mixes = pageMixes();
  const measured = [
    ...Object.entries(mixes).map(([name, paths]) => ({ name, paths, as: one })),
    ...[FIRST_PAGE, FIFTY_WORDS].map((name) => ({
      name: `${name}, ${CLIENTS} clients in turn`,
      paths: mixes[name]!,
      as: authorizations,
    })),
  ];
  for (const { name, paths, as } of measured) {
    const ratios: number[] = [];
    const stavePerSecond: number[] = [];
    const limitPerSecond: number[] = [];
    const p99: number[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const ours = await load(job(server.port, paths, as));
      const bare = await load(job(limit.port, paths, as));
      stavePerSecond.push(ours.requestsPerSecond);
      limitPerSecond.push(bare.requestsPerSecond);
      ratios.push(ours.requestsPerSecond / bare.requestsPerSecond);
      p99.push(ours.p99);
    }
    const ratio = spread(ratios);
    rows.push({
      what: `page of 20 at ${tracks.toLocaleString('en')} tracks, ${CONNECTIONS} connections, ${name}`,
      figure:
        `${ratio.median.toFixed(2)} of the limit (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}): ` +
        `${Math.round(spread(stavePerSecond).median).toLocaleString('en')} of ` +
        `${Math.round(spread(limitPerSecond).median).toLocaleString('en')} requests/s, p99 ${spread(p99).median.toFixed(1)} ms`,
      goal: 'at least 0.15',
    });
  }
  await limit.stop();
  await server.stop();
  return rows;
}

/** The paths that are requested in turn, by their description. */
export function pageMixes(): Record<string, string[]> {
  return {
    [FIRST_PAGE]: ['/v1/tracks?pageSize=20'],
    'every page in turn': Array.from({ length: 1000 }, (_, i) => `/v1/tracks?page=${i + 1}`),
    [FIFTY_WORDS]: WORDS.map((word) => `/v1/tracks?search=${word}`),
    'five thousand text searches in turn, more than the response cache keeps': WORDS.flatMap(
      (word) => Array.from({ length: 100 }, (_, i) => `/v1/tracks?search=${word}&page=${i + 1}`),
    ),
  };
}

async function pageSizeBytes(port: number, authorization: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/tracks?pageSize=20`, {
    headers: { authorization },
  });
  return (await response.arrayBuffer()).byteLength;
}

function job(port: number, paths: string[], authorizations: string[]) {
  return { port, paths, authorizations, connections: CONNECTIONS, seconds: SECONDS };
}

/** Common and rare words of the real names. */
const WORDS = (
  'night love dream blue dark light rain sun time day world song theme intro dance waltz fire water sky ' +
  'moon star heart lost home city winter summer old new black white red green one two sonata prelude ' +
  'mazurka etude dog bird door bell wind sea road river ghost machine space'
).split(' ');
