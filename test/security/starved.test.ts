import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { expect, it } from 'vitest';
import { metric } from '../cli/workers-support.ts';
import { serve, staveJson, temporaryFolder } from '../harness/cli.ts';
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

it('serves every request of a lone caller while other programs use the processor', async () => {
  using folder = temporaryFolder();
  const metricsPort = await freePort();
  const created = ['clients', 'create', '--name', 'Lone', '--scopes', 'tracks'];
  const { clientId, testSecret } = await staveJson(folder.path, created);
  await using service = await serve(folder.path, { STAVE_METRICS_PORT: String(metricsPort) });
  const pid = service.child.pid!;
  const headers = { authorization: `Bearer ${await service.token(clientId, testSecret)}` };
  const statusOf = async () => {
    const response = await fetch(`${service.url}/v1/tracks`, { headers });
    await response.text();
    return response.status;
  };
  // The first requests compile the code, for which a starved process would need long.
  for (let i = 0; i < 200; i++) expect(await statusOf()).toBe(200);

  using _ = crowd(pid);
  const statuses: number[] = [];
  let niceness = 10;
  let late = 0;
  await until(async () => {
    const delays = await metric(metricsPort, 'stave_event_loop_delay_seconds');
    if (delays.get('{quantile="0.5"}')! > 0.25) late++;
    else if (niceness < 19) setNiceness(pid, ++niceness);
    statuses.push(await statusOf());
    return late >= 5 || statuses.at(-1) !== 200;
  }, 'a late event loop');
  expect(new Set(statuses)).toEqual(new Set([200]));
});
