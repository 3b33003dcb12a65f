import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { freePort } from '../harness/free-port.ts';
import { startDemoServer } from '../harness/shared-demo.ts';
import type { TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/editor/server.ts', import.meta.url));

/** A server of a partner. */
interface PartnerServer {
  origin: string;
  stop(): Promise<void>;
}

/** A Stave with the demo catalog, the example editor on an origin of its own, and Chromium. */
export interface EditorSetup {
  server: TestServer;
  /** The origin of the editor. */
  origin: string;
  browser: Browser;
  /** Opens the editor, or the page of another server, and waits for the first rows. */
  open(options?: BrowserContextOptions, origin?: string): Promise<Page>;
  /** Starts a server that gives tokens, with the credentials of the client. */
  run(program: string): Promise<PartnerServer>;
  /** Exceptions of pages, violations of policies, and errors in their logs. */
  faults: string[];
  close(): Promise<void>;
}

export async function startEditor(): Promise<EditorSetup> {
  const { server, demo } = await startDemoServer();
  const { clientId, testSecret } = demo.contractClient;
  const run = (program: string) => start(program, server.address, { clientId, testSecret });
  const editor = await run(PROGRAM);
  const browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
  const faults: string[] = [];
  return {
    ...{ server, browser, faults, run, origin: editor.origin },
    async open(options = {}, origin = editor.origin) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        ...options,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        // A waveform is made when it is first asked for.
        const isPending = message.text().includes('status of 503');
        if (message.type() === 'error' && !isPending) faults.push(message.text());
      });
      await page.goto(origin);
      await page.locator('stave-picker li').first().waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await editor.stop();
      await server.close();
    },
  };
}

async function start(
  program: string,
  stave: string,
  { clientId, testSecret }: { clientId: string; testSecret: string },
): Promise<PartnerServer> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      STAVE_URL: stave,
      STAVE_CLIENT_ID: clientId,
      STAVE_CLIENT_SECRET: testSecret,
      ORIGIN: origin,
      PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(() => isServed(origin), `the server at ${origin}`);
  return { origin, stop: () => stop(server) };
}

function isServed(origin: string): Promise<boolean> {
  return fetch(origin).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}
