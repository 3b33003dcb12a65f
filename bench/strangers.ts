import { createBenchClient, tokenFor } from './client.ts';
import { shown } from './figures.ts';
import type { HostileJob } from './hostile.ts';
import type { LoadJob, LoadResult } from './load.ts';
import { pageMixes } from './page.ts';
import { load, type Server, serve, serveProgram } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';

const PORT = 18_130;
/** The duration of each load, in seconds. */
const SECONDS = 6;
const GOAL = 'at most 10 times alone, or 503 within 250 ms';

/**
 * Measures how long a client waits beside hostile connections that send bursts of pipelined requests. The
 * client, the hostile connections and the service are separate processes.
 */
export async function measureStrangers(options: {
  folder: string;
  dataFolder: string;
}): Promise<Row[]> {
  const { settings } = await importRealTracks(options.folder, options.dataFolder);
  const server = await serve(settings, PORT);
  const authorization = await tokenFor(PORT, await createBenchClient(settings));
  const good: LoadJob = {
    port: PORT,
    paths: pageMixes()['every page in turn']!,
    headers: { authorization },
    connections: 1,
    seconds: SECONDS,
  };
  await load({ ...good, seconds: 2 });
  const alone = await load(good);
  const rows: Row[] = [{ what: 'a client alone', figure: figureOf(alone, alone), goal: '' }];
  for (const connections of [20, 50]) {
    const beside = await besideHostile(good, { port: PORT, connections, burst: 500, everyMs: 5 });
    rows.push({
      what: `a client beside ${connections} connections with bursts of 500 requests every 5 ms`,
      figure: figureOf(beside, alone),
      goal: GOAL,
    });
  }
  await server.stop();
  return rows;
}

async function besideHostile(good: LoadJob, job: HostileJob): Promise<LoadResult> {
  const hostile: Server = await serveProgram(new URL('hostile.ts', import.meta.url), job);
  try {
    return await load(good, { mayFail: true });
  } finally {
    await hostile.stop();
  }
}

function figureOf(result: LoadResult, alone: LoadResult): string {
  const { p50, p99, max, failures, requests } = result;
  const ratio = result === alone ? '' : `, p99 ${shown(p99 / alone.p99)} times alone`;
  const failed = `${failures} of ${requests} not 2xx`;
  return `p50 ${shown(p50)} ms, p99 ${shown(p99)} ms, longest ${shown(max)} ms${ratio}; ${failed}`;
}
