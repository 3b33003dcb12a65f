import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { POSTGRES_BIN } from './postgres-programs.ts';
import { until } from './until.ts';

/** A PostgreSQL server of one test, which the test may stop or damage. */
export interface PostgresServer extends AsyncDisposable {
  url: string;
  port: number;
  /** Ends the server without a checkpoint, as a power cut does, and starts it again on the same data. */
  restartImmediately(): Promise<void>;
  /** Ends the server in the same way, without starting it. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops all processes of the server with SIGSTOP: connections stay open, and it does not respond. */
  pause(): void;
  resume(): void;
}

/**
 * Starts a PostgreSQL on a free port, with fsync on; always dispose of it. If `primary` is given, the server is its
 * standby.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  primary?: PostgresServer,
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'stave-postgres-'));
  const port = await freePort();
  const user = serverUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const [maker, ...words] =
    primary === undefined
      ? ['initdb', '-D', data, '-A', 'trust', '-U', 'stave', '--no-sync']
      : ['pg_basebackup', '-D', data, '-d', primary.url, '-R', '-c', 'fast', '--no-sync'];
  execFileSync(join(POSTGRES_BIN!, maker!), words, {
    ...user,
    stdio: 'pipe',
    cwd: folder,
  });
  const url = `postgres://stave@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;
  const responds = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  };
  const start = async () => {
    const options = ['-p', String(port), '-k', folder, '-h', '127.0.0.1'];
    const extra = settings.flatMap((setting) => ['-c', setting]);
    server = spawn(join(POSTGRES_BIN!, 'postgres'), ['-D', data, ...options, ...extra], {
      ...user,
      stdio: 'ignore',
      cwd: folder,
    });
    await until(responds);
  };
  const kill = async () => {
    const gone = once(server, 'exit');
    // "Immediate Shutdown" (postgresql.org/docs/15/server-shutdown.html).
    server.kill('SIGQUIT');
    await gone;
  };
  const signalAll = (signal: NodeJS.Signals) => {
    server.kill(signal);
    // Listed only now: a stopped server starts no further process.
    for (const pid of childrenOf(server.pid!)) {
      try {
        process.kill(pid, signal);
      } catch {
        // A backend that has just ended.
      }
    }
  };
  await start();
  return {
    url,
    port,
    kill,
    start,
    async restartImmediately() {
      await kill();
      await start();
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async [Symbol.asyncDispose]() {
      if (server.exitCode === null && server.signalCode === null) {
        signalAll('SIGCONT');
        await kill();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid: number): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return listed.split(/\s+/).filter(Boolean).map(Number);
}

/** PostgreSQL refuses to run as root. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: idOf('-u'), gid: idOf('-g') };
}
