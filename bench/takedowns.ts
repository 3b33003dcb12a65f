import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase } from '../test/harness/services.ts';
import { BENCH_SOURCE, writeCatalog } from './catalog.ts';
import { tokenFor } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { type Server, serve, stave } from './processes.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';

const FIRST_PORT = 18_110;

interface Created {
  clientId: string;
  liveSecret: string;
}

/**
 * Measures the time until a takedown removes a track from the lists, and until disabling a client invalidates its
 * token, while the same number of tracks is imported: one node on SQLite, then two on PostgreSQL. The time is
 * measured from the end of the command to its effect on the last node.
 */
export async function measureTakedowns(options: {
  folder: string;
  dataFolder: string;
  tracks: number;
}): Promise<Row[]> {
  const { folder, dataFolder, tracks } = options;
  const parts = await readRealParts(dataFolder);
  const first = join(folder, 'takedowns-first.ndjson');
  const all = join(folder, 'takedowns-all.ndjson');
  await writeCatalog(first, tracks, parts);
  await writeCatalog(all, 2 * tracks, parts);
  const files = { first, all };
  const embedded = { STAVE_DATA: join(folder, 'takedowns') };
  const rows = await measure('one node on SQLite', [embedded], files);
  await using database = await createDatabase();
  const nodes = [1, 2].map((i) => ({
    STAVE_DATA: join(folder, `takedowns-${i}`),
    STAVE_DATABASE_URL: database.url,
  }));
  return [...rows, ...(await measure('two nodes on PostgreSQL', nodes, files))];
}

async function measure(
  what: string,
  nodes: readonly Record<string, string>[],
  files: { first: string; all: string },
): Promise<Row[]> {
  const settings = nodes[0]!;
  await stave(['import', files.first, '--source', BENCH_SOURCE], settings);
  const servers = await Promise.all(nodes.map((node, i) => serve(node, FIRST_PORT + i)));
  const reader = await tokenFor(FIRST_PORT, await createClient(settings));
  const slugs = await someSlugs(reader);

  let importing = true;
  const imported = stave(['import', files.all, '--source', BENCH_SOURCE], settings).finally(() => {
    importing = false;
  });
  const takedowns: number[] = [];
  const revocations: number[] = [];
  for (const slug of slugs) {
    const client = await createClient(settings);
    const token = await tokenWhenKnown(client);
    if (!importing) break;
    // If hundreds of tracks have the name, the search does not list the track even before its takedown.
    if (!(await lists(FIRST_PORT, reader, slug))) continue;
    await stave(['tracks', 'takedown', slug], settings);
    takedowns.push(await secondsUntil(servers, async (port) => !(await lists(port, reader, slug))));
    await stave(['clients', 'disable', client.clientId], settings);
    revocations.push(
      await secondsUntil(
        servers,
        async (port) => (await get(port, '/v1/me', token)).status === 401,
      ),
    );
  }
  const { seconds } = await imported;
  await Promise.all(servers.map((server) => server.stop()));
  const beside = `${what}, beside an import of ${seconds.toFixed(0)} s`;
  return [
    {
      what: `${beside}: ${takedowns.length} takedowns, until no node lists the track`,
      figure: shownSpread(spread(takedowns), ' s'),
      goal: 'within 1 s',
    },
    {
      what: `${beside}: ${revocations.length} disabled clients, until no node accepts their token`,
      figure: shownSpread(spread(revocations), ' s'),
      goal: 'within 1 s',
    },
  ];
}

async function createClient(settings: Record<string, string>): Promise<Created> {
  const words = [
    '--name',
    `Bench ${randomUUID()}`,
    '--scopes',
    'tracks',
    '--rate-limit',
    '1000000',
  ];
  return (await stave(['clients', 'create', ...words], settings)).result as Created;
}

/** Requests a token as soon as the first node has the client. */
async function tokenWhenKnown(client: Created): Promise<string> {
  for (;;) {
    const token = await tokenFor(FIRST_PORT, client).catch(() => undefined);
    if (token !== undefined && !token.endsWith('undefined')) return token;
  }
}

function get(port: number, path: string, token: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: token } });
}

/** Slugs from all over the catalog. */
async function someSlugs(token: string): Promise<string[]> {
  const pages = Array.from({ length: 100 }, (_, i) => 1 + i * 37);
  const slugs = await Promise.all(
    pages.map(async (page) => {
      const response = await get(FIRST_PORT, `/v1/tracks?pageSize=1&page=${page}`, token);
      const { data } = (await response.json()) as { data: { items: { slug: string }[] } };
      return data.items[0]?.slug;
    }),
  );
  return slugs.filter((slug) => slug !== undefined);
}

/** Whether a search for the track's name finds it among the best hundred. */
async function lists(port: number, token: string, slug: string): Promise<boolean> {
  const search = encodeURIComponent(slug.replace(/-\d+$/, '').replaceAll('-', ' '));
  const response = await get(port, `/v1/tracks?pageSize=100&search=${search}`, token);
  const { data } = (await response.json()) as { data: { items: { slug: string }[] } };
  return data.items.some((item) => item.slug === slug);
}

/** Seconds until the condition holds on every node. */
async function secondsUntil(
  servers: readonly Server[],
  holds: (port: number) => Promise<boolean>,
): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    servers.map(async ({ port }) => {
      while (!(await holds(port))) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }),
  );
  return (performance.now() - startedAt) / 1000;
}
