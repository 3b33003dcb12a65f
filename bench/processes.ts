import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './load.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The environment of the programs measured: this machine's, and nothing of Stave's but what is given. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('STAVE_'));
  return {
    ...Object.fromEntries(inherited),
    STAVE_DEMO: 'off',
    STAVE_LOG_LEVEL: 'warn',
    ...settings,
  };
}

/** Runs a `stave` command to its end and gives what it printed, parsed, and what it took. */
export async function stave(
  args: string[],
  settings: Record<string, string>,
): Promise<{ result: unknown; seconds: number; peakMegabytes: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args, '--json'], {
    cwd: root,
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let peakMegabytes = 0;
  const sampling = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, memoryMegabytes(child.pid!, 'VmHWM'));
  }, 20);
  const [code] = await once(child, 'close');
  clearInterval(sampling);
  if (code !== 0 && code !== 2) throw new Error(`stave ${args.join(' ')} exited with ${code}`);
  return {
    result: JSON.parse(output),
    seconds: (performance.now() - startedAt) / 1000,
    peakMegabytes,
  };
}

/** A figure of `/proc/<pid>/status` in megabytes (`VmRSS` now, `VmHWM` the most so far); 0 once it is gone. */
export function memoryMegabytes(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export interface Server {
  port: number;
  pid: number;
  /** From the start of the process to the first healthy answer. */
  secondsToServe: number;
  stop(): Promise<void>;
}

/** Starts `stave serve` and waits until its health check says 200. */
export async function serve(settings: Record<string, string>, port: number): Promise<Server> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    cwd: root,
    env: environment({ ...settings, PORT: String(port) }),
    stdio: 'ignore',
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`stave serve exited with ${child.exitCode}`);
    const healthy = await fetch(`http://127.0.0.1:${port}/health-check`).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const secondsToServe = (performance.now() - startedAt) / 1000;
  return { port, pid: child.pid!, secondsToServe, stop: () => stop(child) };
}

/** Starts the limit: a bare server that sends `sizeBytes` from a constant buffer. */
export async function limitServer(sizeBytes: number): Promise<Server> {
  const program = fileURLToPath(new URL('limit-server.ts', import.meta.url));
  const child = spawn(process.execPath, [program, String(sizeBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return { port: Number(port), pid: child.pid!, secondsToServe: 0, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Sends a load from a process of its own. */
export async function load(job: LoadJob): Promise<LoadResult> {
  const program = fileURLToPath(new URL('load.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(job));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the load generator exited with ${code}`);
  return JSON.parse(output);
}

/** Median, least and most of a list of figures. */
export function spread(figures: number[]): { median: number; min: number; max: number } {
  const sorted = [...figures].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1]!, min: sorted[0]!, max: sorted.at(-1)! };
}

/** What the machine is, for the record. */
export function machine(): string {
  const model = /model name\s*: (.*)/.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'unknown';
  const cores = execFileSync('nproc', { encoding: 'utf8' }).trim();
  return `${cores} cores, ${model}, Node ${process.version}`;
}
