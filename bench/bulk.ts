import { onBothDatabases, type PartOptions } from './both-databases.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { cpuSeconds, load, type Server, serve } from './processes.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 32;
const SECONDS = 3;
const SIZE = 100;
/** More different requests than the response cache keeps responses. */
const COLD_REQUESTS = 4_000;

interface Requests {
  paths: string[];
  bodies?: string[];
}

/** The same tracks by four kinds of requests. The first is the page that the others are compared with. */
type Kinds = Record<'page' | 'batchOfIds' | 'batchOfSlugs' | 'streamUrls', Requests>;

interface Round {
  perSecond: number;
  cpuMicroseconds: number;
}

/**
 * Compares the reads of a hundred named tracks with a page of the same hundred tracks, on both databases. The result
 * is the ratio of each round.
 */
export function measureBulk(options: PartOptions): Promise<Row[]> {
  return onBothDatabases(options, 'bulk', measureOn);
}

async function measureOn(
  database: string,
  settings: Record<string, string>,
  rounds: number,
): Promise<Row[]> {
  const client = await createBenchClient(settings);
  const server = await serve(settings, 18_102);
  const authorization = await tokenFor(server.port, client);
  const pages = await pagesOf(server.port, authorization);
  const rows: Row[] = [];
  for (const [name, kinds] of Object.entries({
    'one request, repeatedly': kindsOf(pages, 1),
    'more requests in turn than the response cache keeps': kindsOf(pages, COLD_REQUESTS),
  })) {
    const measured = await measureKinds(server, authorization, kinds, rounds);
    rows.push(...rowsOf(`${database}, ${name}`, measured));
  }
  await server.stop();
  return rows;
}

async function measureKinds(
  server: Server,
  authorization: string,
  kinds: Kinds,
  rounds: number,
): Promise<Record<keyof Kinds, Round[]>> {
  const measured: Record<keyof Kinds, Round[]> = {
    page: [],
    batchOfIds: [],
    batchOfSlugs: [],
    streamUrls: [],
  };
  for (let round = 0; round < rounds; round++) {
    for (const kind of Object.keys(kinds) as (keyof Kinds)[]) {
      const before = cpuSeconds(server.pid);
      const { requests, requestsPerSecond } = await load({
        ...kinds[kind],
        port: server.port,
        headers: { Authorization: authorization },
        connections: CONNECTIONS,
        seconds: SECONDS,
      });
      const cpuMicroseconds = ((cpuSeconds(server.pid) - before) * 1e6) / requests;
      measured[kind].push({ perSecond: requestsPerSecond, cpuMicroseconds });
    }
  }
  return measured;
}

function rowsOf(name: string, { page, ...others }: Record<keyof Kinds, Round[]>): Row[] {
  const what = {
    batchOfIds: ['batch of 100 by ids', 'at least 0.8'],
    batchOfSlugs: ['batch of 100 by slugs', 'at least 0.8'],
    streamUrls: ['stream URLs of 100', 'at least 1.6'],
  } as const;
  const median = (rounds: Round[], figure: keyof Round) =>
    Math.round(spread(rounds.map((round) => round[figure])).median).toLocaleString('en');
  return (Object.keys(what) as (keyof typeof what)[]).map((kind) => {
    const [description, goal] = what[kind];
    const ratio = spread(others[kind].map(({ perSecond }, i) => perSecond / page[i]!.perSecond));
    return {
      what: `${description}, ${name}: throughput compared with the page of ${SIZE}`,
      figure:
        `${shownSpread(ratio)}: ${median(others[kind], 'perSecond')} and ${median(page, 'perSecond')} requests/s, ` +
        `${median(others[kind], 'cpuMicroseconds')} and ${median(page, 'cpuMicroseconds')} µs of CPU per request`,
      goal,
    };
  });
}

/** The tracks of the first pages. */
type Page = { id: string; slug: string }[];

async function pagesOf(port: number, authorization: string): Promise<Page[]> {
  const pages: Page[] = [];
  while (pages.length < 200) {
    const path = `/v1/tracks?pageSize=${SIZE}&page=${pages.length + 1}`;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
    pages.push(((await response.json()) as { data: { items: Page } }).data.items);
  }
  return pages;
}

/** `count` different requests of each kind. Spaces and an ignored parameter distinguish those of one page. */
function kindsOf(pages: readonly Page[], count: number): Kinds {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const page = (i: number) => pages[i % pages.length]!;
  const posts = (path: string, body: (tracks: Page) => object): Requests => ({
    paths: numbers.map(() => path),
    bodies: numbers.map(
      (i) => JSON.stringify(body(page(i))) + ' '.repeat(Math.floor(i / pages.length)),
    ),
  });
  return {
    page: {
      paths: numbers.map((i) => {
        const number = (i % pages.length) + 1;
        return `/v1/tracks?pageSize=${SIZE}&page=${number}&_=${Math.floor(i / pages.length)}`;
      }),
    },
    batchOfIds: posts('/v1/tracks/batch', (tracks) => ({ tracks: tracks.map(({ id }) => id) })),
    batchOfSlugs: posts('/v1/tracks/batch', (tracks) => ({
      tracks: tracks.map(({ slug }) => slug),
    })),
    streamUrls: posts('/v1/tracks/stream-urls', (tracks) => ({
      trackIds: tracks.map(({ id }) => id),
    })),
  };
}
