import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** Whether a test can start its own PgBouncer here. */
export const canStartPgBouncer = PROGRAM !== undefined;

/** A PgBouncer of one test, in transaction mode. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL of its database, through PgBouncer. */
  url: string;
}

/**
 * Starts a PgBouncer in front of a database; always dispose of it. `settings` are lines of its [pgbouncer] section:
 * default_pool_size, ignore_startup_parameters.
 */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'stave-pgbouncer-'));
  const port = await freePort();
  const { hostname, port: serverPort, username, pathname } = new URL(databaseUrl);
  const user = username || execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    ...settings,
  };
  const server = `host=${hostname} port=${serverPort || 5432} user=${user}`;
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]\n* = ${server}\n[pgbouncer]\n${Object.entries(lines)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
  const child = spawn(PROGRAM!, ['-q', config], { ...ownUser(folder, config), stdio: 'ignore' });
  const url = `postgres://${user}@127.0.0.1:${port}${pathname}`;
  try {
    await until(() => responds(url));
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function responds(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** PgBouncer refuses to run as root. */
function ownUser(...paths: string[]): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  const user = { uid: idOf('-u'), gid: idOf('-g') };
  for (const path of paths) chownSync(path, user.uid, user.gid);
  return user;
}
