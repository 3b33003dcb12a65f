import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** Whether `redis-server` is installed; prints a message if it is not. */
export const redisInstalled = isInstalled();

/** A Redis that the environment names, for tests that do not stop or damage it. */
const GIVEN_URL = process.env.STAVE_TEST_REDIS_URL || undefined;

/** Whether a Redis for counting is available: the one that the environment names, or one that can be started. */
export const hasRedis = GIVEN_URL !== undefined || redisInstalled;

/** The Redis that `STAVE_TEST_REDIS_URL` names, which others may use too, or else a new one; always close it. */
export async function openRedis(): Promise<Pick<RedisServer, 'url' | 'command' | 'close'>> {
  if (GIVEN_URL === undefined) return startRedis();
  const { hostname, port, password } = new URL(GIVEN_URL);
  const credentials = password === '' ? [] : [['AUTH', decodeURIComponent(password)]];
  return {
    url: GIVEN_URL,
    command: (...words) => ask(Number(port || 6379), [...credentials, words], hostname),
    close: async () => {},
  };
}

/** A real Redis of one test, on its own port, without files on disk. */
export interface RedisServer {
  port: number;
  url: string;
  /** Ends it as a power cut does; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty; resolves when it responds. */
  start(): Promise<void>;
  /** Stops its process with SIGSTOP: connections stay open, and it does not respond. */
  pause(): void;
  resume(): void;
  /** Runs one command on a new connection, as an operator would; returns the reply of Redis unchanged. */
  command(...words: string[]): Promise<string>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

/** Starts a Redis; always close it. */
export async function startRedis({ password }: { password?: string } = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const command = (...words: string[]) =>
    ask(port, password === undefined ? [words] : [['AUTH', password], words]);
  const kill = async () => {
    const ending = child;
    child = undefined;
    if (ending !== undefined && ending.exitCode === null && ending.signalCode === null) {
      const gone = once(ending, 'close');
      ending.kill('SIGKILL');
      await gone;
    }
  };
  const start = async () => {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const unsaved = ['--save', '', '--appendonly', 'no'];
    const secret = password === undefined ? [] : ['--requirepass', password];
    const started = spawn('redis-server', [...settings, ...unsaved, ...secret], {
      stdio: 'ignore',
    });
    child = started;
    await until(async () => {
      if (started.exitCode !== null) {
        throw new Error(`redis-server did not start on port ${port}`);
      }
      return (await command('PING').catch(() => '')).includes('PONG');
    }, 'the start of Redis');
  };
  await start();
  return {
    port,
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    command,
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends commands; resolves with all replies when the server has closed the connection. */
async function ask(
  port: number,
  commands: readonly (readonly string[])[],
  host = '127.0.0.1',
): Promise<string> {
  const socket = connect({ host, port }).setTimeout(2000, () => socket.destroy());
  socket.setEncoding('utf8');
  let reply = '';
  socket.on('data', (text) => {
    reply += text;
  });
  for (const words of [...commands, ['QUIT']]) {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.write(`*${words.length}\r\n${parts.join('')}`);
  }
  await once(socket, 'close');
  return reply;
}

function isInstalled(): boolean {
  const installed = spawnSync('redis-server', ['--version']).status === 0;
  if (!installed) {
    process.stderr.write('SKIPPED: the tests of Redis, because redis-server is not installed.\n');
  }
  return installed;
}
