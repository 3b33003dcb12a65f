import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { bodiesOf, shellLinesOf, textOf } from './guide-lines.ts';

const SDK = new URL('../../packages/sdk/src/index.ts', import.meta.url).href;

let server: TestServer;
let client: TestClient;
let folder: TemporaryFolder;
let trackId: string;
beforeAll(async () => {
  folder = temporaryFolder();
  server = await startTestServer({ tracks: [] });
  const { key } = await server.operator.media.putBytes(wavFile([tone(5, 44_100)]), 'wav');
  const calm = { slug: 'calm', name: 'Calm', type: 'mood' as const };
  await server.deliver([delivery(1, { name: 'Night Ferry', audioKey: key, filters: [calm] })]);
  client = await server.createClient({ scopes: ['tracks', 'search', 'filters'] });
  await server.until(async () => {
    const { data } = await server.call('listTracks', { token: await client.token() });
    trackId = data.items?.[0]?.id;
    return trackId !== undefined;
  });
});
afterAll(async () => {
  await server?.close();
  folder?.[Symbol.dispose]();
});

/** The variables that the guides ask for. */
async function variables(): Promise<NodeJS.ProcessEnv> {
  const credentials = { CLIENT_ID: client.clientId, CLIENT_SECRET: client.testSecret };
  return {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME },
    ...{ STAVE: server.address, STAVE_URL: server.address, TOKEN: await client.token() },
    ...{ STAVE_TOKEN: await client.token(), PYTHONUNBUFFERED: '1', ...credentials },
    ...{ STAVE_CLIENT_ID: client.clientId, STAVE_CLIENT_SECRET: client.testSecret },
  };
}

async function runProgram(program: string, parameters: readonly string[]): Promise<string> {
  const options = { cwd: folder.path, env: await variables() };
  return (await promisify(execFile)(program, parameters, options)).stdout;
}

/** The code of a guide in one language: all blocks, as one program. */
function codeOf(page: string, language: string): string {
  const blocks = textOf(`docs/${page}.md`).matchAll(
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'),
  );
  return [...blocks].map(([, block]) => block!).join('\n');
}

/** Runs the lines of a shell, each block after an empty line. */
const runShell = (page: string) =>
  runProgram('sh', ['-e', '-c', shellLinesOf(`docs/${page}.md`).join('\necho\n')]);
const runPython = (page: string) => runProgram('python3', ['-c', codeOf(page, 'python')]);

/** Writes the TypeScript of a guide as a program that imports the client library of this repository. */
function typeScriptProgram(page: string): string {
  const path = folder.at(`${page}.ts`);
  writeFileSync(path, codeOf(page, 'ts').replace("'@stave/client'", `'${SDK}'`));
  return path;
}

describe('the programs of docs/getting-started.md', () => {
  const expectOutcome = (stdout: string) => {
    expect(stdout).toMatch(/^1 tracks\nNight Ferry by \S/);
    expect(stdout).toContain('invalid_request');
    expect(stdout).toContain(`${server.address}/docs/errors#invalid_request`);
    expect(readFileSync(folder.at('track.wav')).toString('latin1', 0, 4)).toBe('RIFF');
    writeFileSync(folder.at('track.wav'), '');
  };

  it('list tracks, store audio and show an error, in TypeScript', async () => {
    expectOutcome(await runProgram(process.execPath, [typeScriptProgram('getting-started')]));
  });

  it('list tracks, store audio and show an error, in Python', async () => {
    expectOutcome(await runPython('getting-started'));
  });
});

it('runs the lines of docs/errors.md', async () => {
  expect(await runShell('errors')).toContain(
    `invalid_request ${server.address}/docs/errors#invalid_request`,
  );
});

describe('docs/authentication.md', () => {
  it('has lines that get tokens with all and with fewer rights', async () => {
    const stdout = await runShell('authentication');
    const [me, refused] = bodiesOf(stdout);
    expect(me.data).toMatchObject({ mode: 'test', clientId: client.clientId });
    expect(refused.error.type).toBe('insufficient_scope');
    expect(JSON.parse(readFileSync(folder.at('filters.json'), 'utf8')).error.code).toBe(0);
    expect(stdout).toContain('"token_endpoint"');
  });

  it('has a program in Python that replaces a token that was revoked', async () => {
    expect(await runPython('authentication')).toBe('test token\ntest token again\n');
  });
});

describe('docs/rate-limits.md', () => {
  it('has lines that show the limit', async () => {
    expect(await runShell('rate-limits')).toMatch(/^ratelimit-limit: \d+\r?$/im);
  });

  it('has a program in Python that waits and repeats', async () => {
    expect(await runPython('rate-limits')).toBe(
      `1 tracks\nrate_limited, again in 1 s\nrate_limited: ${server.address}/docs/errors#rate_limited\n`,
    );
  });
});

it('runs the lines of docs/versioning.md', async () => {
  const stdout = await runShell('versioning');
  expect(stdout).toMatch(/^x-api-version: v1\r?$/im);
  expect(stdout).toContain('no retirement is announced');
});

it('runs the lines of docs/going-live.md', async () => {
  const stdout = await runShell('going-live');
  expect(stdout).toMatch(/^test \["/);
  expect(stdout).toContain('"serviceVersion"');
});

describe('docs/streaming.md', () => {
  let app: ChildProcess | undefined;
  afterAll(() => {
    app?.kill();
  });

  it('has lines that read a part of a file and renew a URL', async () => {
    const stdout = await runShell('streaming');
    expect(stdout).toMatch(/^content-range: bytes 0-99999\//im);
    expect(readFileSync(folder.at('part.wav'))).toHaveLength(100_000);
    expect(bodiesOf(stdout)[0].data).toMatchObject({ items: [{ trackId }], notFound: [] });
  });

  it.skipIf(!hasBrowser)(
    'has a server and a page that play, also after a URL has ended',
    async () => {
      const port = await freePort();
      const env = { ...(await variables()), PORT: String(port) };
      app = spawn(process.execPath, [typeScriptProgram('streaming')], { env });
      await once(app.stdout!, 'data');
      const browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
      const page = await browser.newPage();
      // A document of the program, because its server answers `/stream-url/…`.
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.setContent('<audio></audio><button id="play">Play</button>');
      await page.addScriptTag({
        content: `const trackId = '${trackId}';\n${codeOf('streaming', 'js')}`,
      });
      const plays = () =>
        until(
          () => page.evaluate("document.querySelector('audio').currentTime > 0.3"),
          'the sound',
        );
      await page.locator('#play').click();
      await plays();

      // A URL that the page has not loaded yet, because the browser would take it from its cache.
      server.clock.advance(60);
      const { data } = await server.call('listTracks', { token: await client.token() });
      const expired = data.items[0].streamUrl;
      server.clock.advance(1_900);
      await page.evaluate(`document.querySelector('audio').src = '${expired}'`);
      await until(
        async () => (await page.evaluate("document.querySelector('audio').src")) !== expired,
        'the new URL',
      );
      await plays();
      await browser.close();
    },
  );
});
