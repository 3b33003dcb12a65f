import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '../test/harness/services.ts';
import { BENCH_SOURCE, writeCatalog } from './catalog.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { pageMixes } from './page.ts';
import { cpuSeconds, load, type Server, serve, stave } from './processes.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';

const CONNECTIONS = 32;
const SECONDS = 4;

/**
 * Compares the program on PostgreSQL and on SQLite: an import into each, and pages of the real catalogs from
 * both, which run at once and are measured alternately. The result is the ratio of each round.
 */
export async function measurePostgres(options: {
  folder: string;
  dataFolder: string;
  tracks: number;
  rounds: number;
}): Promise<Row[]> {
  return [...(await measureImports(options)), ...(await measurePages(options))];
}

async function measureImports({
  folder,
  dataFolder,
  tracks,
}: {
  folder: string;
  dataFolder: string;
  tracks: number;
}): Promise<Row[]> {
  const file = join(folder, 'postgres.ndjson');
  await writeCatalog(file, tracks, await readRealParts(dataFolder));
  const args = ['import', file, '--source', BENCH_SOURCE];
  await using database = await createDatabase();
  const onPostgres = settingsOf(folder, 'import-postgres', database);
  const first = await stave(args, onPostgres);
  const again = await stave(args, onPostgres);
  const embedded = await stave(args, { STAVE_DATA: join(folder, 'import-embedded') });
  const rate = (seconds: number) => `${Math.round(tracks / seconds).toLocaleString('en')} tracks/s`;
  return [
    {
      what: `import of ${tracks.toLocaleString('en')} tracks into PostgreSQL, including process start and end`,
      figure: `${rate(first.seconds)} (${Math.round(first.peakMegabytes)} MB); SQLite in the same run: ${rate(embedded.seconds)}`,
      goal: '10,000 tracks/s',
    },
    { what: 'the same file again: nothing changes', figure: rate(again.seconds), goal: '' },
  ];
}

async function measurePages({
  folder,
  dataFolder,
  rounds,
}: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  await using database = await createDatabase();
  const settings = settingsOf(folder, 'real-postgres', database);
  const real = await importRealTracks(folder, dataFolder);
  await importRealTracks(folder, dataFolder, settings);
  const embedded = await ready(await serve(real.settings, 18_098), real.settings);
  const onPostgres = await ready(await serve(settings, 18_099), settings);
  const rows: Row[] = [];
  for (const [name, paths] of Object.entries(pageMixes())) {
    const ratios: number[] = [];
    const perSecond: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await measured(onPostgres, paths);
      const theirs = await measured(embedded, paths);
      ratios.push(ours.perSecond / theirs.perSecond);
      cpu.push(ours.cpuMicroseconds / theirs.cpuMicroseconds);
      perSecond.push(ours.perSecond);
    }
    rows.push({
      what: `page of 20 at ${real.tracks.toLocaleString('en')} tracks, ${CONNECTIONS} connections, ${name}: PostgreSQL compared with SQLite`,
      figure:
        `${shownSpread(spread(ratios))} of its throughput (${Math.round(spread(perSecond).median).toLocaleString('en')} requests/s), ` +
        `${spread(cpu).median.toFixed(2)} of its CPU per request (without the processes of PostgreSQL)`,
      goal: 'hot: at least 0.80',
    });
  }
  await onPostgres.server.stop();
  await embedded.server.stop();
  return rows;
}

interface Ready {
  server: Server;
  authorization: string;
}

async function ready(server: Server, settings: Record<string, string>): Promise<Ready> {
  const client = await createBenchClient(settings);
  return { server, authorization: await tokenFor(server.port, client) };
}

async function measured({ server, authorization }: Ready, paths: string[]) {
  const before = cpuSeconds(server.pid);
  const { requestsPerSecond, requests } = await load({
    port: server.port,
    paths,
    headers: { Authorization: authorization },
    connections: CONNECTIONS,
    seconds: SECONDS,
  });
  return {
    perSecond: requestsPerSecond,
    cpuMicroseconds: ((cpuSeconds(server.pid) - before) * 1e6) / requests,
  };
}

function settingsOf(folder: string, name: string, { url }: TestDatabase): Record<string, string> {
  return { STAVE_DATA: join(folder, name), STAVE_DATABASE_URL: url };
}
