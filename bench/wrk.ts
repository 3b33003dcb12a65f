import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { load } from './processes.ts';

/** The result of one load on one path. */
export interface PathLoad {
  requestsPerSecond: number;
  requests: number;
}

/** Whether wrk is installed, which needs a fraction of the CPU of bench/load.ts. */
export const hasWrk = (): boolean => spawnSync('wrk', ['-v']).error === undefined;

/**
 * Requests one path with wrk if it is installed, otherwise with bench/load.ts. Throws if a response is not
 * 2xx.
 */
export async function loadPath(job: {
  port: number;
  path: string;
  authorization: string;
  connections: number;
  seconds: number;
}): Promise<PathLoad> {
  const { port, path, authorization, connections, seconds } = job;
  if (!hasWrk()) {
    return load({
      port,
      paths: [path],
      headers: { Authorization: authorization },
      connections,
      seconds,
    });
  }
  const url = `http://127.0.0.1:${port}${path}`;
  const how = ['-t1', `-c${connections}`, `-d${seconds}s`, '-H', `Authorization: ${authorization}`];
  const child = spawn('wrk', [...how, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [report] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const number = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? 0);
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`requests failed: ${report}`);
  return {
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    requests: number(/(\d+) requests in/),
  };
}
