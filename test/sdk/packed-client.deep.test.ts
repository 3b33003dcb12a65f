import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { ROOT } from '../guards/source.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import {
  codeOf,
  installPackedClient,
  type PackedClient,
  runtimes,
  typeScriptOf,
} from './packed-client.ts';

const PAGE = `<link rel="icon" href="data:,"><audio></audio>
<script type="module">import * as client from './index.js'; window.client = client;</script>`;
/** The promise of the README. */
const MAX_BYTES = 8_000;

let packed: PackedClient;
let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  packed = installPackedClient();
  server = await startTestServer({ tracks: [] });
  client = await server.createClient({
    scopes: ['tracks', 'playlists', 'changes'],
    features: ['changes'],
  });
  const { key } = await server.operator.media.putBytes(wavFile([tone(5, 44_100)]), 'wav');
  await server.deliver([
    delivery(1, { name: 'Night Ferry', bpm: '92', audioKey: key }),
    delivery(2, { name: 'Morning' }),
  ]);
});
afterAll(async () => {
  await server?.close();
  packed?.[Symbol.dispose]();
});

const project = () => packed.folder.at('project');

it('contains the built modules with their types, the README and nothing else', () => {
  const modules = readdirSync(join(ROOT, 'packages/sdk/src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('.test'))
    .flatMap((path) => ['.js', '.d.ts'].map((end) => `dist/${path.replace(/\.ts$/, end)}`));
  expect(packed.files.toSorted()).toEqual(
    ['LICENSE', 'README.md', 'package.json', ...modules].toSorted(),
  );
});

it('is what the service serves for npm install', async () => {
  const response = await fetch(`${server.address}/docs/stave-client.tgz`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/gzip',
  ]);
  const served = packed.folder.at('served');
  mkdirSync(served);
  writeFileSync(join(served, 'client.tgz'), Buffer.from(await response.arrayBuffer()));
  execFileSync('tar', ['-xzf', 'client.tgz', '--strip-components=1'], { cwd: served });
  for (const path of packed.files) {
    expect({ path, text: readFileSync(join(served, path), 'utf8') }).toEqual({
      path,
      text: readFileSync(join(packed.installed, path), 'utf8'),
    });
  }
});

it(`is under ${MAX_BYTES} bytes, bundled and compressed`, async () => {
  const bundle = await rolldown({ input: join(packed.installed, 'dist/index.js') });
  const { output } = await bundle.generate({ minify: true });
  expect(output).toHaveLength(1);
  expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThan(MAX_BYTES);
});

it('has examples that are typed', { timeout: 240_000 }, () => {
  writeFileSync(join(project(), 'readme.ts'), typeScriptOf('packages/sdk/README.md'));
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict'];
  const libraries = ['--lib', 'es2024', '--types', 'node', '--skipLibCheck', 'false'];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compile = (name: string) =>
    execFileSync(process.execPath, [tsc, ...options, ...libraries, name], { cwd: project() });
  compile('readme.ts');
  // Other tests run these.
  for (const guide of ['getting-started', 'streaming']) {
    writeFileSync(join(project(), `${guide}.ts`), typeScriptOf(`docs/${guide}.md`));
    compile(`${guide}.ts`);
  }
});

it.each(runtimes())(
  'has examples that work on a real service: %s',
  {
    timeout: 240_000,
  },
  async (_, [program = '', ...args]) => {
    const running = promisify(execFile)(program, [...args, 'readme.js'], {
      cwd: project(),
      env: {
        HOME: packed.folder.path,
        STAVE_URL: server.address,
        STAVE_CLIENT_ID: client.clientId,
        STAVE_CLIENT_SECRET: client.liveSecret,
      },
    });
    // The example waits for a change.
    let ended = false;
    running
      .finally(() => {
        ended = true;
      })
      .catch(() => {});
    for (let number = 10; !ended; number++) {
      await server.deliver([delivery(number, { name: `New ${newId()}` })]);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { stdout } = await running;
    expect(stdout).toMatch(/^\d+ tracks Night Ferry http/m);
    expect(stdout).toMatch(/^not found [0-9a-f-]{36}$/m);
    expect(stdout).toMatch(/^readMe 200 [\d.]+$/m);
    expect(stdout).toMatch(/^track\.(created|updated) [0-9a-f-]{36}$/m);
    expect(stdout).toMatch(/^401$/m);
  },
);

describe.runIf(hasBrowser)('in Chromium (skipped without it)', () => {
  let files: Server;
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    // The server of a partner.
    files = createServer(async (request, response) => {
      const path = request.url!.slice(1);
      const ofTrack = /^stream-url\/(.+)$/.exec(path);
      if (path === '') return response.setHeader('content-type', 'text/html').end(PAGE);
      if (path === 'token') {
        return response.end(
          JSON.stringify({ access_token: await client.token(), expires_in: 3_600 }),
        );
      }
      if (ofTrack !== null) {
        const body = { trackIds: [ofTrack[1]] };
        const { data } = await server.call('signStreams', { token: await client.token(), body });
        return response.end(JSON.stringify(data.items[0]));
      }
      response.setHeader('content-type', 'text/javascript');
      return response.end(readFileSync(join(packed.installed, 'dist', path)));
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(files.address() as AddressInfo).port}/`;
    browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
  });
  afterAll(async () => {
    await browser?.close();
    files?.closeAllConnections();
    files?.close();
  });

  it('searches and plays', async () => {
    const page = await browser.newPage();
    await page.goto(address);
    const played = await page.evaluate(playInPage, server.address);
    expect(played).toMatchObject({ name: 'Night Ferry' });
    expect(played.position).toBeGreaterThan(2);
    // A busy node may refuse a request for audio: the player then gets one more URL.
    expect(played.sources).toBeGreaterThanOrEqual(2);
  });

  it('plays by the example of the README, without a token in the page', async () => {
    const { data } = await server.call('listTracks', {
      token: await client.token(),
      query: { search: 'night' },
    });
    const [example] = codeOf('packages/sdk/README.md', 'js');
    const program = example!.replace("'@stave/client'", "'./index.js'");
    const page = await browser.newPage();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.goto(address);
    await page.evaluate(`globalThis.trackId = '${data.items[0].id}'`);
    await page.addScriptTag({ type: 'module', content: program });
    await page.waitForFunction("document.querySelector('audio').currentTime > 0.3");
    expect(requested).toContain(`/stream-url/${data.items[0].id}`);
    expect(requested).not.toContain('/token');
  });
});

/** Runs in the page: plays, loses the URL as if it had expired, and continues at the same position. */
async function playInPage(baseUrl: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a page has globals of its own
  const { client, document } = globalThis as any;
  const { playTrack, StaveClient } = client;
  const stave = new StaveClient({
    baseUrl,
    getAccessToken: async () => (await fetch('/token')).json(),
  });
  const [track] = (await stave.listTracks({ search: 'night' })).items;
  const audio = document.querySelector('audio');
  const sources = new Set<string>();
  const reached = (position: number) =>
    new Promise<void>((resolve, reject) => {
      audio.ontimeupdate = () => {
        sources.add(audio.src);
        if (audio.currentTime > position) resolve();
      };
      setTimeout(() => reject(new Error(`stays at ${audio.currentTime}`)), 20_000);
    });
  const player = playTrack(stave, audio, track.id);
  audio.currentTime = 0;
  await player.play();
  await reached(0.3);
  audio.src = `${audio.src}x`;
  audio.currentTime = 2;
  await audio.play().catch(() => {});
  await reached(2.2);
  const position = audio.currentTime;
  player.close();
  return { name: track.name, position, sources: sources.size };
}
