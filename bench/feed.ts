import { createBenchClient, tokenFor } from './client.ts';
import { spread } from './figures.ts';
import { load, serve } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';

const CONNECTIONS = 32;
const SECONDS = 4;
/** How many pages of each kind are requested in turn. */
const PAGES = 200;
/** How often each page is requested with another URL, which makes more pages than the response cache keeps. */
const URLS_OF_PAGE = 20;

/**
 * Compares a page of 100 changes with a page of 100 tracks, over the same catalog, from the same service, in turn.
 */
export async function measureFeed(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  const { settings, tracks } = await importRealTracks(options.folder, options.dataFolder);
  const client = await createBenchClient(settings, 'changes');
  const server = await serve(settings, 18_093);
  const authorization = await tokenFor(server.port, client);
  const cursors = await cursorsOf(server.port, authorization);
  const mixes: Record<string, { changes: string[]; tracks: string[] }> = {
    'one page, repeatedly': {
      changes: [`/v1/tracks/changes?cursor=${cursors[0]}&limit=100`],
      tracks: ['/v1/tracks?pageSize=100'],
    },
    [`${PAGES} pages in turn`]: {
      changes: cursors.map((cursor) => `/v1/tracks/changes?cursor=${cursor}&limit=100`),
      tracks: cursors.map((_, i) => `/v1/tracks?pageSize=100&page=${i + 1}`),
    },
  };
  const inTurn = mixes[`${PAGES} pages in turn`]!;
  mixes['more pages in turn than the response cache keeps'] = {
    changes: withManyUrls(inTurn.changes),
    tracks: withManyUrls(inTurn.tracks),
  };
  const rows: Row[] = [];
  for (const [name, paths] of Object.entries(mixes)) {
    const job = (requested: string[]) => ({
      port: server.port,
      paths: requested,
      authorizations: [authorization],
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
    const ratios: number[] = [];
    const perSecond: number[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const changes = await load(job(paths.changes));
      const pages = await load(job(paths.tracks));
      if (changes.failures + pages.failures > 0) throw new Error('a request of the load failed');
      ratios.push(changes.requestsPerSecond / pages.requestsPerSecond);
      perSecond.push(changes.requestsPerSecond);
    }
    const ratio = spread(ratios);
    rows.push({
      what: `100 changes at ${tracks.toLocaleString('en')} tracks, ${CONNECTIONS} connections, ${name}`,
      figure:
        `${ratio.median.toFixed(2)} of a page of 100 tracks (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}): ` +
        `${Math.round(spread(perSecond).median).toLocaleString('en')} requests/s`,
      goal: 'at least 0.5',
    });
  }
  await server.stop();
  return rows;
}

/** Repeats the paths with an ignored parameter that distinguishes them. */
function withManyUrls(paths: readonly string[]): string[] {
  return Array.from({ length: URLS_OF_PAGE }, (_, i) =>
    paths.map((path) => `${path}&_=${i}`),
  ).flat();
}

/** The cursors of the pages of the feed, from its beginning. */
async function cursorsOf(port: number, authorization: string): Promise<string[]> {
  const cursors: string[] = [];
  let place = 'since=1970-01-01T00:00:00Z';
  while (cursors.length < PAGES) {
    const url = `http://127.0.0.1:${port}/v1/tracks/changes?${place}&limit=100&tracks=false`;
    const response = await fetch(url, { headers: { authorization } });
    const { data } = (await response.json()) as { data: { nextCursor: string } };
    cursors.push(data.nextCursor);
    place = `cursor=${data.nextCursor}`;
  }
  return cursors;
}
