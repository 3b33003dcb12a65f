import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './cli.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { until } from './until.ts';

/** What the first start prints for scripts. */
interface DemoClients {
  clientId: string;
  testSecret: string;
  liveSecret: string;
  curl: string;
  contractClient: { clientId: string; testSecret: string };
}

/** A server with a demo catalog of its own. */
export interface DemoServer {
  server: TestServer;
  demo: DemoClients;
}

/**
 * Starts a server with the demo catalog. Making it takes a minute on a busy machine, so the first test file that needs it
 * makes it, and the others copy it.
 */
export async function startDemoServer(): Promise<DemoServer> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-demo-server-'));
  const demo = await copyDemo(folder);
  const config = { demo: true, previewThreads: 1 };
  const server = await startTestServer({ tracks: [], folder, config });
  const close = async () => {
    await server.close();
    await rm(folder, { recursive: true });
  };
  return { server: { ...server, close }, demo };
}

/** Copies the data folder of the demo that test files share. Returns the clients of the demo. */
async function copyDemo(to: string): Promise<DemoClients> {
  const folder = process.env.STAVE_TEST_DEMO!;
  const data = join(folder, 'data');
  const clients = join(folder, 'clients.json');
  await until(
    async () => {
      if (existsSync(clients)) return true;
      try {
        mkdirSync(data);
      } catch {
        // Another test file makes it.
        return false;
      }
      const unfinished = join(folder, 'unfinished.json');
      writeFileSync(unfinished, JSON.stringify(await makeDemo(data)));
      renameSync(unfinished, clients);
      return true;
    },
    'the demo that test files share',
    220_000,
  );
  await cp(data, to, { recursive: true });
  return JSON.parse(readFileSync(clients, 'utf8'));
}

async function makeDemo(data: string): Promise<DemoClients> {
  // Without a thread that begins to make waveforms, and leaves them claimed for a minute.
  const serving = await serve(data, { STAVE_DEMO: 'on', STAVE_PREVIEW_THREADS: '0' });
  await serving.stop();
  return serving.printed.demo;
}
