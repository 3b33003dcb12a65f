import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { freePort } from '../harness/free-port.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/player/server.ts', import.meta.url));

/** The tracks of the server. `steps` has 20 seconds, each of another loudness; `long` has a minute, 10 MB. */
export const TRACKS = { steps: 0, long: 1, silent: 2 } as const;

/** The loudness of a second of `steps`. */
export const loudnessOf = (second: number): number => (((second * 7) % 20) + 1) / 20;

/** A real Stave, the example player as its own program, and Chromium. */
export interface PlayerSetup {
  server: TestServer;
  client: TestClient;
  /** The address of the example. */
  address: string;
  browser: Browser;
  /** What the example printed. */
  printed(): string;
  close(): Promise<void>;
}

/** Starts all of it. Without `previewThreads`, nothing makes renditions. */
export async function startPlayer(previewThreads = 1): Promise<PlayerSetup> {
  const server = await startTestServer({ tracks: [], config: { previewThreads } });
  const client = await server.createClient({ scopes: ['tracks'], features: ['previews'] });
  const audioKey = async (channels: readonly Float32Array[]) =>
    (await server.operator.media.putBytes(wavFile(channels), 'wav')).key;
  // Louder above the line than below it, so that the two cannot be taken for each other.
  const steps = tone(20, 44_100, loudnessOf).map((sample) => (sample < 0 ? sample / 4 : sample));
  const long = tone(60, 44_100);
  await server.deliver([
    delivery(TRACKS.steps, { audioKey: await audioKey([steps]) }),
    delivery(TRACKS.long, { audioKey: await audioKey([long, long]) }),
    delivery(TRACKS.silent),
  ]);
  const example = await startExample(server.address, client);
  const browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
  return {
    server,
    client,
    address: example.address,
    browser,
    printed: example.printed,
    async close() {
      await browser.close();
      await stop(example.process);
      await server.close();
    },
  };
}

async function startExample(stave: string, client: TestClient) {
  const port = await freePort();
  const example = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH,
      STAVE_URL: stave,
      STAVE_CLIENT_ID: client.clientId,
      STAVE_CLIENT_SECRET: client.testSecret,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [example.stdout, example.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const address = `http://127.0.0.1:${port}/`;
  await until(() => output.includes(address), `the example: ${output}`);
  return { process: example, address, printed: () => output };
}

async function stop(example: ChildProcess): Promise<void> {
  if (example.exitCode !== null || example.signalCode !== null) return;
  const ended = once(example, 'exit');
  example.kill('SIGKILL');
  await ended;
}

/** The row of a track. */
export async function rowOf({ server, client }: PlayerSetup, page: Page, number: number) {
  const token = await client.token();
  const params = { slug: delivery(number).id };
  const { data } = await server.call('showTrack', { token, params });
  return page.locator(`[data-track="${data.slug}"]`);
}

/** How much of its sound a button shows as played, from 0 to 1. */
export function playedOf(button: Locator): Promise<number> {
  // biome-ignore lint/suspicious/noExplicitAny: runs in the page
  return button.evaluate((element: any) => Number(element.style.getPropertyValue('--played')));
}

/** How far a waveform reaches above and below its middle line, relative to the highest point. */
export type Outline = { above: number[]; below: number[] };

/** Returns the outline of what is drawn on a canvas, at the middle of each of as many equal parts. */
export async function outlineOf(canvas: Locator, parts: number): Promise<Outline> {
  const drawn: Outline = await canvas.evaluate(
    // biome-ignore lint/suspicious/noExplicitAny: runs in the page
    (element: any, count) => {
      const { width, height } = element;
      const { data } = element.getContext('2d').getImageData(0, 0, width, height);
      const isDrawn = (x: number, y: number) => data[4 * (y * width + x) + 3] > 25;
      const outline: Outline = { above: [], below: [] };
      for (let part = 0; part < count; part++) {
        let [top, bottom] = [height / 2, height / 2];
        for (let i = 0.25; i < 0.75; i += 1 / 64) {
          const x = Math.floor(((part + i) * width) / count);
          for (let y = 0; y < height; y++) {
            if (isDrawn(x, y)) [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
          }
        }
        outline.above.push(height / 2 - top);
        outline.below.push(bottom - height / 2);
      }
      return outline;
    },
    parts,
  );
  return relative(drawn);
}

/** Returns the outline of waveform data. */
export function outlineOfData(data: readonly number[], parts: number): Outline {
  const bins = data.length / 2;
  const outline: Outline = { above: [], below: [] };
  for (let part = 0; part < parts; part++) {
    const [from, to] = [0.25, 0.75].map((i) => Math.floor(((part + i) * bins) / parts));
    const values = data.slice(2 * from!, 2 * to!);
    outline.above.push(Math.max(...values));
    outline.below.push(-Math.min(...values));
  }
  return relative(outline);
}

function relative({ above, below }: Outline): Outline {
  const highest = Math.max(...above, ...below);
  return { above: above.map((y) => y / highest), below: below.map((y) => y / highest) };
}

/** The greatest difference between two outlines. */
export function difference(a: Outline, b: Outline): number {
  const pairs = [
    ...a.above.map((y, i) => y - b.above[i]!),
    ...a.below.map((y, i) => y - b.below[i]!),
  ];
  return Math.max(...pairs.map(Math.abs));
}
