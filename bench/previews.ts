import { CLIENTS, createBenchClient, createBenchClients, tokensFor } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { FIFTY_WORDS, pageMixes } from './page.ts';
import { cpuSeconds, load, serve } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';

const CONNECTIONS = 32;
const SECONDS = 4;
const PORT = 18_093;

/** What one load of the service gave. */
interface Measured {
  requestsPerSecond: number;
  /** The CPU time of the service for a request, in seconds. */
  cpu: number;
}

/**
 * Compares pages of clients that see previews with pages of clients that do not, on one service that is loaded in turn.
 * The result is the ratio of each round.
 */
export async function measurePreviews(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  const { settings, tracks } = await importRealTracks(options.folder, options.dataFolder);
  const plain = await createBenchClients(settings);
  const featured = [];
  while (featured.length < CLIENTS) featured.push(await createBenchClient(settings, 'previews'));
  // The tracks have no audio, so the service makes no previews meanwhile.
  const server = await serve(settings, PORT);
  const authorizations = {
    without: await tokensFor(PORT, plain),
    with: await tokensFor(PORT, featured),
  };

  const measure = async (paths: string[], view: keyof typeof authorizations, clients: number) => {
    const tokens = authorizations[view].slice(0, clients);
    const job = { port: PORT, paths, authorizations: tokens, connections: CONNECTIONS };
    const before = cpuSeconds(server.pid);
    const { requests, requestsPerSecond } = await load({ ...job, seconds: SECONDS });
    return { requestsPerSecond, cpu: (cpuSeconds(server.pid) - before) / requests };
  };
  const mixes = pageMixes();
  const measured = [
    ...Object.entries(mixes).map(([name, paths]) => ({ name, paths, clients: 1 })),
    {
      name: `${FIFTY_WORDS}, ${CLIENTS} clients in turn`,
      paths: mixes[FIFTY_WORDS]!,
      clients: CLIENTS,
    },
  ];
  const rows: Row[] = [];
  for (const { name, paths, clients } of measured) {
    const seen = { with: [] as Measured[], without: [] as Measured[] };
    for (let round = 0; round < options.rounds; round++) {
      // Which one is first changes, because the machine may become slower or faster.
      const views = ['with', 'without'] as const;
      for (const view of round % 2 === 0 ? views : views.toReversed()) {
        seen[view].push(await measure(paths, view, clients));
      }
    }
    const pairs = seen.with.map((previews, round) => ({ previews, plain: seen.without[round]! }));
    const throughput = spread(
      pairs.map(({ previews, plain }) => previews.requestsPerSecond / plain.requestsPerSecond),
    );
    const cpu = spread(pairs.map(({ previews, plain }) => plain.cpu / previews.cpu));
    const perSecond = (measured: Measured[]) =>
      Math.round(
        spread(measured.map(({ requestsPerSecond }) => requestsPerSecond)).median,
      ).toLocaleString('en');
    rows.push({
      what: `page of 20 with previews at ${tracks.toLocaleString('en')} tracks, ${CONNECTIONS} connections, ${name}`,
      figure:
        `${shownSpread(throughput)} of one without: ` +
        `${perSecond(seen.with)} of ${perSecond(seen.without)} requests/s; ` +
        `by the CPU time of the service for a request, ${shownSpread(cpu)}`,
      goal: 'at least 0.75',
    });
  }
  await server.stop();
  return rows;
}
