import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { metric } from '../cli/workers-support.ts';
import { type Serving, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';

/** Uses a processor until it is killed, but for five minutes at most. */
const BUSY = 'const end = Date.now() + 300_000; while (Date.now() < end) {}';

/** Lets a process share one processor with two busy programs. */
function crowd(pid: number): Disposable {
  const allowed = execFileSync('taskset', ['-cp', String(pid)], { encoding: 'utf8' });
  const processor = /\d+(?=\s*$)/.exec(allowed)![0];
  execFileSync('taskset', ['-acp', processor, String(pid)]);
  const others = [1, 2].map(() =>
    spawn('taskset', ['-c', processor, process.execPath, '-e', BUSY], { stdio: 'ignore' }),
  );
  return {
    [Symbol.dispose]: () => {
      for (const other of others) other.kill('SIGKILL');
    },
  };
}

/** Sets the priority of all threads of a process: 0 is that of other programs, 19 the lowest. */
function setNiceness(pid: number, niceness: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness);
}

/** Stops a process again and again, for longer than the delay that was once taken for overload. */
function interrupt(pid: number): Disposable {
  let timer: NodeJS.Timeout;
  const stop = () => {
    process.kill(pid, 'SIGSTOP');
    timer = setTimeout(go, 330);
  };
  const go = () => {
    process.kill(pid, 'SIGCONT');
    timer = setTimeout(stop, 12);
  };
  stop();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      process.kill(pid, 'SIGCONT');
    },
  };
}

/** Returns a function that sends one request with a token, and returns the status. */
async function loneCaller(data: string, service: Serving): Promise<() => Promise<number>> {
  const created = ['clients', 'create', '--name', 'Lone', '--scopes', 'tracks'];
  const { clientId, testSecret } = await staveJson(data, created);
  const headers = { authorization: `Bearer ${await service.token(clientId, testSecret)}` };
  const status = async () => {
    const response = await fetch(`${service.url}/v1/tracks`, { headers });
    await response.text();
    return response.status;
  };
  // The first requests compile the code, for which a starved process would need long.
  for (let i = 0; i < 200; i++) expect(await status()).toBe(200);
  return status;
}

describe.runIf(process.platform === 'linux')('every request of a lone caller is served', () => {
  it('while other programs use the processor', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    await using service = await serve(folder.path, { STAVE_METRICS_PORT: String(port) });
    const status = await loneCaller(folder.path, service);
    const pid = service.child.pid!;
    using _busy = crowd(pid);
    const statuses: number[] = [];
    let niceness = 10;
    let late = 0;
    await until(async () => {
      const delays = await metric(port, 'stave_event_loop_delay_seconds');
      if (delays.get('{quantile="0.5"}')! > 0.25) late++;
      else if (niceness < 19) setNiceness(pid, ++niceness);
      statuses.push(await status());
      return late >= 5 || statuses.at(-1) !== 200;
    }, 'a late event loop');
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('while the process is stopped for most of the time', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path);
    const status = await loneCaller(folder.path, service);
    using _stops = interrupt(service.child.pid!);
    const statuses: number[] = [];
    let late = 0;
    await until(async () => {
      const sentMs = performance.now();
      statuses.push(await status());
      if (performance.now() - sentMs > 250) late++;
      return late >= 10;
    }, 'a late response');
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
