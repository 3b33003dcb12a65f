import { setTimeout as delay } from 'node:timers/promises';
import { loadUntil } from './beside.ts';
import { BENCH_SOURCE } from './catalog.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shown } from './figures.ts';
import type { LoadJob } from './load.ts';
import { pageMixes } from './page.ts';
import { load, memoryMegabytes, type Server, serve, stave } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';
import { locationOf, writeBeside } from './write-beside.ts';

const PORT = 18_090;
/** A load that takes about a tenth of a core, so that its latencies show delays and not a full queue. */
const CONNECTIONS = 8;
const PER_SECOND = 200;
/** The duration of the load before the import, and of each one beside it, in seconds. */
const IDLE_SECONDS = 8;
/** The load beside an import ends with the import; this is the limit. */
const MAX_SECONDS = 900;

/** What an import beside a service needs: the file, and the folder of the real catalogs, which the service shows. */
interface Beside {
  folder: string;
  dataFolder: string;
  file: string;
  tracks: number;
  settings: Record<string, string>;
}

/** Imports the file while a service on the same store responds, and another process writes if the store is SQLite. */
export async function measureBeside(
  options: Beside & { alone: { seconds: number }; name: string },
): Promise<Row[]> {
  const { file, settings, tracks, alone, name } = options;
  const { server, job, shownBefore } = await serveRealTracks(options);
  try {
    const idle = await load({ ...job, seconds: IDLE_SECONDS });
    const writing =
      'STAVE_DATABASE_URL' in settings
        ? undefined
        : writeBeside(
            locationOf(settings),
            'writes of another process during the import into SQLite',
          );
    const importing = stave(['import', file, '--source', BENCH_SOURCE], settings);
    const loads = loadUntil(importing, { ...job, seconds: IDLE_SECONDS });
    const imported = await importing;
    const endedAt = performance.now();
    await caughtUp(server, job, shownBefore + tracks);
    const behindSeconds = (performance.now() - endedAt) / 1000;
    const reads = await loads;
    const rate = tracks / imported.seconds;
    return [
      {
        what: `the same import into ${name} beside a service under load (${PER_SECOND} requests/s)`,
        figure: `${Math.round(rate).toLocaleString('en')} tracks/s: ${shown(alone.seconds / imported.seconds)} of the rate alone; the service shows all tracks ${shown(behindSeconds)} s after its end`,
        goal: 'at least 0.7 of the rate alone',
      },
      {
        what: `latency of the service on ${name} during the import`,
        figure: `p99 ${shown(reads.p99)} ms, longest ${shown(reads.max)} ms; before it ${shown(idle.p99)} and ${shown(idle.max)} ms: ${shown(reads.p99 / idle.p99)} times`,
        goal: 'p99 under twice that of the idle service',
      },
      {
        what: `memory of the service on ${name} after the import`,
        figure: `${shown(memoryMegabytes(server.pid, 'VmRSS'))} MB, peak ${shown(memoryMegabytes(server.pid, 'VmHWM'))} MB`,
        goal: 'peak under 800 MB',
      },
      ...(writing === undefined ? [] : [await writing.stop()]),
    ];
  } finally {
    await server.stop();
  }
}

/** Kills the service in the middle of an import, and measures its start after the import. */
export async function measureKilled(options: Beside): Promise<Row> {
  const { file, settings, tracks } = options;
  const { server, shownBefore, job } = await serveRealTracks(options);
  const importing = stave(['import', file, '--source', BENCH_SOURCE], settings);
  await caughtUp(server, job, shownBefore + tracks / 2);
  await server.kill();
  await importing;
  const restarted = await serve(settings, PORT);
  await restarted.stop();
  return {
    what: 'start of a service that was killed when it showed half of the import',
    figure: `${shown(restarted.secondsToServe)} s`,
    goal: 'under 8 s at a million tracks',
  };
}

/** Starts a service that shows the real catalogs. */
async function serveRealTracks(options: Beside) {
  const { folder, dataFolder, settings } = options;
  await importRealTracks(folder, dataFolder, settings);
  const client = await createBenchClient(settings);
  const server = await serve(settings, PORT);
  const job: LoadJob = {
    port: PORT,
    paths: pageMixes()['every page in turn']!,
    authorizations: [await tokenFor(PORT, client)],
    connections: CONNECTIONS,
    perSecond: PER_SECOND,
    seconds: MAX_SECONDS,
  };
  return { server, job, shownBefore: await shownTracks(job) };
}

/** Resolves when the service shows this many tracks. */
async function caughtUp(server: Server, job: LoadJob, tracks: number): Promise<void> {
  const endsAt = performance.now() + MAX_SECONDS * 1000;
  while ((await shownTracks({ ...job, port: server.port })) < tracks) {
    if (performance.now() > endsAt)
      throw new Error('the service does not show the imported tracks');
    await delay(100);
  }
}

async function shownTracks({ port, authorizations }: LoadJob): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/tracks?pageSize=1`, {
    headers: { authorization: authorizations![0]! },
  });
  const { data } = (await response.json()) as { data?: { totalRecords: number } };
  return data?.totalRecords ?? 0;
}
