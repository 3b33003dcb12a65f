import { request } from 'node:http';
import { loadUntil } from './beside.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shown } from './figures.ts';
import type { LoadJob } from './load.ts';
import { pageMixes } from './page.ts';
import { cpuSeconds, load, memoryMegabytes, type Server, serve } from './processes.ts';
import type { Row } from './row.ts';
import { benchData } from './search/data-folder.ts';

const PORT = 18_150;
/** As beside an import: about a tenth of a core, so that latencies show delays and not a full queue. */
const CONNECTIONS = 8;
const PER_SECOND = 200;
/** The duration of a load, in seconds. */
const SECONDS = 8;
const SAMPLE_MS = 20;

/** Measures snapshots of a catalog: time, size and memory, and the delays of other requests meanwhile. */
export async function measureSnapshot(options: {
  keep: string;
  dataFolder: string;
  tracks: number;
}): Promise<Row[]> {
  const { keep, dataFolder, tracks } = options;
  const { settings } = await benchData({ folder: keep, dataFolder, tracks });
  const client = await createBenchClient(settings, 'changes');
  const server = await serve(settings, PORT);
  try {
    const authorization = await tokenFor(PORT, client);
    const job: LoadJob = {
      port: PORT,
      paths: pageMixes()['every page in turn']!,
      headers: { authorization },
      connections: CONNECTIONS,
      perSecond: PER_SECOND,
      seconds: SECONDS,
    };
    await load({ ...job, seconds: 2 });
    const rows: Row[] = [];
    for (const coding of ['identity', 'gzip']) {
      rows.push(await measureAlone(server, authorization, coding, tracks));
    }
    return [...rows, await measureBeside(authorization, job)];
  } finally {
    await server.stop();
  }
}

async function measureAlone(
  { pid }: Server,
  authorization: string,
  coding: string,
  tracks: number,
): Promise<Row> {
  const before = memoryMegabytes(pid, 'VmRSS');
  const cpu = cpuSeconds(pid);
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryMegabytes(pid, 'VmRSS'));
  }, SAMPLE_MS);
  const { seconds, megabytes } = await download(authorization, coding);
  clearInterval(sampling);
  return {
    what: `snapshot, ${coding}: ${shown(megabytes)} MB`,
    at: tracks.toLocaleString('en'),
    figure: `${shown(seconds)} s, ${shown(cpuSeconds(pid) - cpu)} s of CPU; memory ${shown(before)} MB, at most ${shown(peak - before)} MB more`,
    goal: 'under 60 s for a million, at most 64 MB more',
  };
}

async function measureBeside(authorization: string, job: LoadJob): Promise<Row> {
  const idle = await load(job);
  const downloading = download(authorization, 'gzip');
  const beside = await loadUntil(downloading, job);
  const { seconds } = await downloading;
  return {
    what: `latency of pages (${PER_SECOND} requests/s) beside a snapshot of ${shown(seconds)} s`,
    figure: `p99 ${shown(beside.p99)} ms, longest ${shown(beside.max)} ms; alone ${shown(idle.p99)} and ${shown(idle.max)} ms: ${shown(beside.p99 / idle.p99)} times`,
    goal: 'p99 under twice that of the idle service',
  };
}

/** Reads a snapshot as fast as it comes. Throws if its last bytes cannot be those of a complete one. */
function download(
  authorization: string,
  coding: string,
): Promise<{ seconds: number; megabytes: number }> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'accept-encoding': coding };
    const path = '/v1/tracks/snapshot';
    request({ port: PORT, path, headers, agent: false }, (response) => {
      let bytes = 0;
      let last = '';
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        last = last.slice(-200) + chunk.subarray(-200).toString('latin1');
      });
      response.on('error', reject);
      response.on('end', () => {
        const seconds = (performance.now() - startedAt) / 1000;
        const isWhole = coding === 'gzip' || /\{"type":"end",[^\n]*\}\n$/.test(last);
        if (response.statusCode === 200 && isWhole) resolve({ seconds, megabytes: bytes / 1e6 });
        else reject(new Error(`the snapshot ended early, with status ${response.statusCode}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
