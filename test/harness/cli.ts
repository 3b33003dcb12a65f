import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readConfig, reportSettings, wantsStacks } from '../../src/app/config/config.ts';
import { locationOf, openStore } from '../../src/app/open/open-store.ts';
import { systemClock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import type { Store } from '../../src/features/store.ts';
import { runProgram } from '../../src/operator/cli/program.ts';
import type { Shell } from '../../src/operator/cli/shell.ts';
import { databaseOf, dropDatabases } from './data-databases.ts';
import { repeatedWhileOverloaded } from './overload.ts';
import { ON_POSTGRES } from './services.ts';
import { until } from './until.ts';

/** The program under test, as a user runs it. */
export const MAIN = join(fileURLToPath(import.meta.url), '..', '..', '..', 'bin', 'main.mjs');

// biome-ignore lint/suspicious/noExplicitAny: tests check the output of the program under test, and trust no type of it
export type Json = any;

/** The result of a command. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  /** stdout, parsed as the one line of JSON that `--json` prints. */
  json: Json;
}

/** A temporary folder; `Symbol.dispose` removes it. */
export interface TemporaryFolder extends Disposable {
  path: string;
  /** A path in the folder. */
  at(...parts: string[]): string;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'stave-cli-'));
  return {
    path,
    at: (...parts) => join(path, ...parts),
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true });
      dropDatabases(path);
    },
  };
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  uid?: number;
  /** The program; by default this one. */
  main?: string;
}

/** The environment of a command: the environment of the tests without settings of Stave, and `env`. */
export function environment(data: string, env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const bare = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(STAVE|OTEL)_/.test(name) && !['HOST', 'PORT', 'SUDO_USER'].includes(name),
    ),
  );
  const database = ON_POSTGRES ? { STAVE_DATABASE_URL: databaseOf(data) } : {};
  const off = { STAVE_DEMO: 'off', STAVE_ANALYSIS: 'off' };
  return { ...bare, STAVE_DATA: data, ...off, PORT: '0', ...database, ...env };
}

/** As `environment`, without settings that a program of an earlier release does not know. */
export function formerEnvironment(
  data: string,
  env: Record<string, string> = {},
): NodeJS.ProcessEnv {
  const { STAVE_ANALYSIS: _, ...known } = environment(data, env);
  return known;
}

/** The store that the commands on this data folder use. The caller closes it. */
export function openStoreOf(data: string): Promise<Store> {
  const location = locationOf(readConfig(environment(data)));
  return openStore(location, { clock: systemClock, log: silentLog });
}

/** All that is stored about clients, as text: the bytes of the SQLite file, or the rows of the PostgreSQL tables. */
export async function storedText(data: string): Promise<string> {
  if (!ON_POSTGRES) return readFileSync(join(data, 'stave.db')).toString('latin1');
  const client = new pg.Client({ connectionString: databaseOf(data) });
  await client.connect();
  try {
    const names = 'clients client_secrets change_log settings idempotency_keys usage_sources';
    const tables =
      `${names} usage_event_ids usage_events usage_days productions failed_requests`.split(' ');
    const rows = tables.map((table) => `SELECT one::text AS row FROM ${table} AS one`);
    const stored = await client.query(rows.join(' UNION ALL '));
    return stored.rows.map(({ row }) => row).join('\n');
  } finally {
    await client.end();
  }
}

/** Runs one command on a data folder to its end, in this process. Fast, but does not test bin/main.mjs and main.ts. */
export async function stave(
  data: string,
  args: string[],
  options: Pick<RunOptions, 'env'> & { stdin?: string; terminal?: Shell['stdin'] } = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk;
        done();
      },
    });
  const settings = environment(data, options.env);
  const code = await runProgram(args, {
    stdin: options.terminal ?? Readable.from([options.stdin ?? '']),
    stdout: into('stdout'),
    stderr: Object.assign(into('stderr'), { isTTY: options.terminal?.isTTY }),
    clock: systemClock,
    nodeVersion: process.versions.node,
    exitCode: 0,
    readConfig: () => readConfig(settings),
    reportSettings: () => reportSettings(settings),
    wantsStacks: () => wantsStacks(settings),
    exit: (end) => {
      throw new Error(`ended with ${end}`);
    },
    kill: () => {
      throw new Error('ended');
    },
    lowerPriority: () => {},
    onStop: () => () => {},
    onReload: () => {},
  });
  return {
    code,
    ...written,
    get json() {
      return parseLine(written.stdout);
    },
  };
}

/** Runs one command on a data folder to its end, in a process of its own, as a user does. */
export function staveProcess(data: string, args: string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(data, args, options);
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code,
        stdout,
        stderr,
        get json() {
          return parseLine(stdout);
        },
      }),
    );
  });
}

/** As `stave`, for commands that must succeed; returns their JSON. */
export async function staveJson(data: string, args: string[]): Promise<Json> {
  const ran = await stave(data, [...args, '--json']);
  if (ran.code !== 0) {
    throw new Error(`stave ${args.join(' ')} ended with ${ran.code}: ${ran.stderr}`);
  }
  return ran.json;
}

export function start(data: string, args: string[], options: RunOptions = {}): ChildProcess {
  const { main, env } = options;
  return spawn(process.execPath, [main ?? MAIN, ...args], {
    env: main === undefined ? environment(data, env) : formerEnvironment(data, env),
    cwd: options.cwd,
    uid: options.uid,
    gid: options.uid,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A running service; `Symbol.asyncDispose` stops it. */
export interface Serving extends AsyncDisposable {
  url: string;
  /** The line of JSON that the start printed. */
  printed: Json;
  child: ChildProcess;
  /** All output so far. */
  output(): string;
  /** Requests a path with a token, if one is given; returns the status and the whole envelope. */
  get(path: string, token?: string): Promise<{ status: number; body: Json }>;
  token(clientId: string, secret: string): Promise<string>;
  /** Ends the service with a signal; returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `stave serve --json` on a data folder and waits until it listens. */
export function serve(
  data: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Serving> {
  return serving(start(data, ['serve', '--json', ...args], { env }));
}

/** Waits until a process of `stave serve --json` listens. Making the demo may take minutes. */
export async function serving(child: ChildProcess): Promise<Serving> {
  let stdout = '';
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    output += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const listening = until(() => stdout.includes('\n'), 'the service to listen', 180_000);
  await Promise.race([
    listening,
    ended.then((code) => {
      throw new Error(`stave serve ended with ${code}: ${output}`);
    }),
  ]);
  const printed = parseLine(stdout);
  const url = printed.address as string;
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  const ask = (path: string, init: RequestInit) =>
    repeatedWhileOverloaded(
      async () => {
        const response = await fetch(url + path, init);
        return { status: response.status, body: (await response.json()) as Json };
      },
      ({ body }) => body.error.message,
    );
  const get = async (path: string, token?: string) => {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    return ask(path, { headers });
  };
  return {
    url,
    printed,
    child,
    output: () => output,
    get,
    stop,
    async token(clientId, secret) {
      const { status, body } = await ask('/v1/auth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: secret,
        }),
      });
      if (status !== 200) {
        throw new Error(`no token: ${JSON.stringify(body.error)}`);
      }
      return body.data.access_token;
    },
    [Symbol.asyncDispose]: async () => {
      await stop('SIGKILL');
    },
  };
}

/** NDJSON of `count` tracks, with the names `Track 1`, `Track 2` … and the slugs `track-1`, `track-2` … */
/** Makes `bin/stave` in a folder run the program with this Node, so that the lines of guides run there unchanged. */
export function addCommand(folder: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  writeFileSync(join(folder, 'bin', 'stave'), script, { mode: 0o755 });
}

export function someTracks(count: number): string {
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      externalId: `t${i + 1}`,
      name: `Track ${i + 1}`,
      type: 'music',
      durationSeconds: 60 + i,
      releaseDate: `2020-01-${String((i % 28) + 1).padStart(2, '0')}`,
      filters: ['genre:Ambient'],
    }),
  );
  return `${lines.join('\n')}\n`;
}

function parseLine(stdout: string): Json {
  const lines = stdout.trimEnd().split('\n');
  if (lines.length !== 1) throw new Error(`not one line of JSON: ${stdout}`);
  return JSON.parse(lines[0]!);
}
