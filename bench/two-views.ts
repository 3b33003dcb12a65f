import { CLIENTS } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { FIFTY_WORDS, pageMixes } from './page.ts';
import { cpuSeconds, load } from './processes.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 32;
const SECONDS = 4;

/** One side of a comparison: where the pages come from, and who requests them. */
export interface Side {
  server: { port: number; pid: number };
  /** The `Authorization` headers of the clients. */
  authorizations: readonly string[];
  /** Further headers of each request. */
  headers?: Record<string, string>;
}

/** What one load of the service gave. */
interface Measured {
  requestsPerSecond: number;
  /** The CPU time of the service for a request, in seconds. */
  cpu: number;
}

/**
 * Compares the pages of one side with those of another, which are loaded in turn: each mix of `page` by one client, and
 * fifty words by all clients in turn. The result is the ratio of each round.
 *
 * @param what what is compared, as in `a page of 20 with previews`
 * @param by the other side, as in `of one without`
 */
export async function* compareViews({
  what,
  by,
  goal,
  sides,
  tracks,
  rounds,
}: {
  what: string;
  by: string;
  goal: string;
  sides: { one: Side; other: Side };
  tracks: number;
  rounds: number;
}): AsyncIterable<Row> {
  const mixes = pageMixes();
  const measured = [
    ...Object.entries(mixes).map(([name, paths]) => ({ name, paths, clients: 1 })),
    {
      name: `${FIFTY_WORDS}, ${CLIENTS} clients in turn`,
      paths: mixes[FIFTY_WORDS]!,
      clients: CLIENTS,
    },
  ];
  for (const { name, paths, clients } of measured) {
    const seen = { one: [] as Measured[], other: [] as Measured[] };
    for (let round = 0; round < rounds; round++) {
      // Which one is first changes, because the machine may become slower or faster.
      const names = ['one', 'other'] as const;
      for (const side of round % 2 === 0 ? names : names.toReversed()) {
        seen[side].push(await measure(sides[side], paths, clients));
      }
    }
    const pairs = seen.one.map((one, round) => ({ one, other: seen.other[round]! }));
    const throughput = spread(
      pairs.map(({ one, other }) => one.requestsPerSecond / other.requestsPerSecond),
    );
    const cpu = spread(pairs.map(({ one, other }) => other.cpu / one.cpu));
    yield {
      what: `${what} at ${tracks.toLocaleString('en')} tracks, ${CONNECTIONS} connections, ${name}`,
      figure:
        `${shownSpread(throughput)} ${by}: ` +
        `${perSecond(seen.one)} of ${perSecond(seen.other)} requests/s; ` +
        `by the CPU time of the service for a request, ${shownSpread(cpu)}`,
      goal,
    };
  }
}

async function measure(
  { server, authorizations, headers = {} }: Side,
  paths: string[],
  clients: number,
): Promise<Measured> {
  const before = cpuSeconds(server.pid);
  const { requests, requestsPerSecond } = await load({
    port: server.port,
    paths,
    headers,
    authorizations: authorizations.slice(0, clients),
    connections: CONNECTIONS,
    seconds: SECONDS,
  });
  return { requestsPerSecond, cpu: (cpuSeconds(server.pid) - before) / requests };
}

function perSecond(measured: readonly Measured[]): string {
  const { median } = spread(measured.map(({ requestsPerSecond }) => requestsPerSecond));
  return Math.round(median).toLocaleString('en');
}
