import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './load.ts';

/** The checkout of this program. Another one, with its dependencies, may be measured beside it. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The time limit for a start, including the build of the index of ten million tracks. */
const MAX_START_SECONDS = 900;

/** The running processes, which are ended with the benchmark. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function tracked<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/**
 * The environment of the measured programs: that of this machine, without Stave's settings except the given
 * ones.
 */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('STAVE_'));
  return {
    ...Object.fromEntries(inherited),
    STAVE_DEMO: 'off',
    STAVE_LOG_LEVEL: 'warn',
    ...settings,
  };
}

/** Runs a `stave` command of a checkout, and returns its parsed output and its time. */
export async function stave(
  args: string[],
  settings: Record<string, string>,
  checkout = ROOT,
): Promise<{ result: unknown; seconds: number; peakMegabytes: number }> {
  const startedAt = performance.now();
  const child = tracked(
    spawn(join(checkout, 'bin', 'stave'), [...args, '--json'], {
      cwd: checkout,
      env: environment(settings),
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
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

/**
 * A figure of `/proc/<pid>/status` in megabytes (`VmRSS` now, `VmHWM` the peak); 0 if the process has ended.
 */
export function memoryMegabytes(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The ticks per second of the times in `/proc`, which are the same on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;

/** The CPU time of a process and its threads, in seconds; 0 if it has ended. */
export function cpuSeconds(pid: number): number {
  try {
    // The second field is the name of the program, which may contain any characters and ends at the last `)`.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

export interface Server {
  port: number;
  pid: number;
  /** From the start of the process to the first healthy response. */
  secondsToServe: number;
  stop(): Promise<void>;
  /** Ends the process at once. */
  kill(): Promise<void>;
}

/** Starts `stave serve` of a checkout, and waits until its health check returns 200. */
export async function serve(
  settings: Record<string, string>,
  port: number,
  options: readonly string[] = [],
  checkout = ROOT,
): Promise<Server> {
  const startedAt = performance.now();
  const child = tracked(
    spawn(join(checkout, 'bin', 'stave'), ['serve', ...options], {
      cwd: checkout,
      env: environment({ ...settings, PORT: String(port) }),
      stdio: 'ignore',
    }),
  );
  const seconds = () => (performance.now() - startedAt) / 1000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`stave serve exited with ${child.exitCode}`);
    const healthy = await fetch(`http://127.0.0.1:${port}/health-check`).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) break;
    if (seconds() > MAX_START_SECONDS) {
      await stop(child);
      throw new Error(`stave serve was not ready after ${MAX_START_SECONDS} s`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    port,
    pid: child.pid!,
    secondsToServe: seconds(),
    stop: () => stop(child),
    kill: () => stop(child, 'SIGKILL'),
  };
}

/**
 * Starts a server of the benchmark: a program that prints one JSON line with its `port` and other values when
 * it serves, and stops on SIGTERM.
 */
export async function serveProgram<Ready extends { port: number }>(
  program: URL,
  job: object,
): Promise<Server & Ready> {
  const startedAt = performance.now();
  const child = tracked(
    spawn(process.execPath, [fileURLToPath(program), JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${program.pathname} ended before it served`);
    }),
  ]);
  return {
    ...(JSON.parse(line) as Ready),
    pid: child.pid!,
    secondsToServe: (performance.now() - startedAt) / 1000,
    stop: () => stop(child),
    kill: () => stop(child, 'SIGKILL'),
  };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** Runs a program of the benchmark that gets a job as JSON and prints a result as JSON. */
export async function runProgram<Result>(
  program: URL,
  job: object,
  nodeArguments: readonly string[] = [],
): Promise<Result> {
  const child = tracked(
    spawn(process.execPath, [...nodeArguments, fileURLToPath(program)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  child.stdin.end(JSON.stringify(job));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program.pathname} exited with ${code}`);
  return JSON.parse(output);
}

/** Sends load from a separate process. Throws if a response was not 2xx, unless that is allowed. */
export async function load(job: LoadJob, { mayFail = false } = {}): Promise<LoadResult> {
  const result = await runProgram<LoadResult>(new URL('load.ts', import.meta.url), job);
  if (result.failures > 0 && !mayFail) {
    const { failures, requests, firstFailure } = result;
    throw new Error(`${failures} of ${requests} requests failed, the first with ${firstFailure}`);
  }
  return result;
}

/** Describes the machine for the report. */
export function machine(): string {
  const model = /model name\s*: (.*)/.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'unknown';
  const cores = execFileSync('nproc', { encoding: 'utf8' }).trim();
  return `${cores} cores, ${model}, Node ${process.version}`;
}
