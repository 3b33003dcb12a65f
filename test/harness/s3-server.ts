import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts } from './free-port.ts';

const PROGRAM = fileURLToPath(new URL('./s3-server.py', import.meta.url));
/** The Python of Debian, for which its packages are installed. Another Python may come first on the PATH. */
const PYTHON = '/usr/bin/python3';

/** Whether OpenStack Swift is installed; prints a message if it is not, or fails if services are required. */
export const hasS3Server = isInstalled();

/** A real S3 server of one test: OpenStack Swift in one process. */
export interface S3Server {
  endpoint: string;
  /** The environment variables that a process needs to use it with the AWS SDK. */
  environment: Readonly<Record<string, string>>;
  /** Creates a bucket with a new name. */
  createBucket(): Promise<string>;
  /** Ends it as a power cut does; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; resolves when it responds. */
  start(): Promise<void>;
  /** Stops its process with SIGSTOP: connections stay open, and it does not respond. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/** Starts an S3 server; always close it. */
export async function startS3Server(): Promise<S3Server> {
  const ports = await freePorts(4);
  const endpoint = `http://127.0.0.1:${ports[0]}`;
  const key = { id: 'stave:tester', secret: 'between-these-tests' };
  let folder = '';
  let child: ChildProcess | undefined;

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
    const started = spawn(PYTHON, [PROGRAM, folder, ...ports.map(String), key.id, key.secret], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child = started;
    let printed = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(0, 2_000);
      });
    }
    const deadline = performance.now() + 60_000;
    while (!printed.includes('listening\n')) {
      if (performance.now() > deadline || started.exitCode !== null) {
        await kill();
        throw new Error(`the S3 server did not start: ${printed}`);
      }
      await sleep(20);
    }
  };

  for (const parent of [tmpdir(), '/var/tmp']) {
    folder = await mkdtemp(join(parent, 'stave-s3-'));
    try {
      await start();
      break;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      // A file system in memory may not support extended attributes; the next folder is on a disk.
      if (!String(error).includes('extended attributes') || parent === '/var/tmp') throw error;
    }
  }

  let buckets = 0;
  return {
    endpoint,
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: key.id,
      AWS_SECRET_ACCESS_KEY: key.secret,
    },
    async createBucket() {
      const client = new S3Client({
        endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials: { accessKeyId: key.id, secretAccessKey: key.secret },
      });
      const name = `bucket-${++buckets}`;
      await client.send(new CreateBucketCommand({ Bucket: name }));
      client.destroy();
      return name;
    },
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isInstalled(): boolean {
  // The answer of the first process counts for those that it starts: to ask takes a second.
  process.env.STAVE_TEST_S3 ??= String(
    spawnSync(PYTHON, ['-c', 'import swift.common.middleware.s3api.s3api']).status,
  );
  if (process.env.STAVE_TEST_S3 === '0') {
    return true;
  }
  const missing = 'OpenStack Swift is not installed (Debian: python3-swift)';
  if (process.env.STAVE_TEST_REQUIRE_SERVICES === '1') {
    throw new Error(missing);
  }
  process.stderr.write(`SKIPPED: the tests of media in a bucket, because ${missing}.\n`);
  return false;
}
