import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createBenchClient, tokenFor } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { cpuSeconds, memoryMegabytes, type Server, serve, TICKS_PER_SECOND } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';
import { hasWrk, loadPath } from './wrk.ts';

/** Enough connections for the system to distribute them about evenly. */
const CONNECTIONS = 64;
const SECONDS = 4;

const HOT_PAGE = '/v1/tracks?pageSize=20';

/**
 * Compares `--workers 2` with one worker. Both run at once on the real catalogs and are loaded alternately.
 * The load process needs cores of its own, so the report shows how many it used.
 */
export async function measureWorkers(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  const { settings, tracks } = await importRealTracks(options.folder, options.dataFolder);
  const client = await createBenchClient(settings);
  // Each service needs a data folder of its own.
  const copy = join(options.folder, 'real-of-workers');
  await cp(settings.STAVE_DATA!, copy, { recursive: true });
  const one = await serve(settings, 18_096);
  const two = await serve({ ...settings, STAVE_DATA: copy }, 18_097, ['--workers', '2']);
  const ones: Round[] = [];
  const twos: Round[] = [];
  for (let round = 0; round < options.rounds; round++) {
    ones.push(await measured(one, await tokenFor(one.port, client)));
    twos.push(await measured(two, await tokenFor(two.port, client)));
  }
  const memory = [one, two].map(({ pid }) => Math.round(memoryMegabytes(pid, 'VmRSS')));
  await one.stop();
  await two.stop();

  const both = (figure: keyof Round) =>
    [ones, twos].map((rounds) => shownSpread(spread(rounds.map((of) => of[figure])))).join(' and ');
  const ratio = spread(twos.map(({ perSecond }, i) => perSecond / ones[i]!.perSecond));
  const page = `page of 20 at ${tracks.toLocaleString('en')} tracks, ${CONNECTIONS} connections`;
  const row = (what: string, figure: string): Row => ({ what, figure, goal: '' });
  return [
    row(`${page}: throughput of 2 workers against 1`, shownSpread(ratio)),
    row('requests/s, 1 and 2 workers', both('perSecond')),
    row('µs of the server’s CPU per request', both('cpuMicroseconds')),
    row('cores that the server used', both('serverCores')),
    row(`cores that ${hasWrk() ? 'wrk' : 'bench/load.ts'} used`, both('loadCores')),
    row(
      'memory of the process at the end',
      memory.map((megabytes) => `${megabytes} MB`).join(' and '),
    ),
  ];
}

interface Round {
  perSecond: number;
  cpuMicroseconds: number;
  serverCores: number;
  loadCores: number;
}

async function measured(server: Server, authorization: string): Promise<Round> {
  const job = { port: server.port, path: HOT_PAGE, authorization, connections: CONNECTIONS };
  await loadPath({ ...job, seconds: 1 });
  const before = {
    server: cpuSeconds(server.pid),
    load: childrensSeconds(),
    at: performance.now(),
  };
  const { requestsPerSecond, requests } = await loadPath({ ...job, seconds: SECONDS });
  const seconds = (performance.now() - before.at) / 1000;
  const cpu = cpuSeconds(server.pid) - before.server;
  return {
    perSecond: requestsPerSecond,
    cpuMicroseconds: (cpu * 1e6) / requests,
    serverCores: cpu / seconds,
    loadCores: (childrensSeconds() - before.load) / seconds,
  };
}

/** The CPU time of the child processes that have ended. */
function childrensSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
