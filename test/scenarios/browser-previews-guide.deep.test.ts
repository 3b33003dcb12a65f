import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { until } from '../harness/until.ts';
import {
  difference,
  outlineOf,
  outlineOfData,
  type PlayerSetup,
  startPlayer,
  TRACKS,
} from './browser-player-support.ts';

const guide = readFileSync(new URL('../../docs/previews.md', import.meta.url), 'utf8');
const scripts = [...guide.matchAll(/^```js\n(.*?)^```/gms)].map(([, script]) => script!);
const PARTS = 20;

/** What the scripts of the guide expect of a page: its elements, and the packages under their names. */
const PAGE = `<!doctype html>
<script type="importmap">{"imports": {"wavesurfer.js": "/lib/wavesurfer.js", "peaks.js": "/lib/peaks-module.js"}}</script>
<div id="waveform" style="width: 600px"></div>
<audio crossorigin="anonymous"></audio>
<div id="zoomview" style="width: 600px; height: 100px"></div>
<div id="overview" style="width: 600px; height: 100px"></div>
<button id="zoom-out">Zoom out</button>
<button id="play">Play the clip</button>`;

describe.runIf(hasBrowser)('the scripts of docs/previews.md (skipped without Chromium)', () => {
  let setup: PlayerSetup;
  let page: Page;
  let served: ReturnType<typeof outlineOfData>;
  const errors: string[] = [];

  beforeAll(async () => {
    setup = await startPlayer();
    page = await setup.browser.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    const asModule = `import './peaks.js'; export default globalThis.peaks;`;
    await page.route('**/lib/peaks-module.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: asModule }),
    );
    // A document of the example, because its server answers `/tracks/…`.
    await page.goto(`${setup.address}style.css`);
    await page.setContent(PAGE);
    const { id } = delivery(TRACKS.steps);
    const track = await json(`${setup.address}tracks/${id}`);
    await page.evaluate(`globalThis.track = ${JSON.stringify(track)}`);
    // Else the first script might get 503, which it does not expect.
    await until(async () => (await fetch(track.waveformUrl)).ok, 'the waveform');
    served = outlineOfData((await json(track.waveformUrl)).data, PARTS);
  });
  afterAll(() => setup?.close());

  // biome-ignore lint/suspicious/noExplicitAny: JSON of which this test reads any member
  const json = async (url: string): Promise<any> => (await fetch(url)).json();
  const run = (content: string) => page.addScriptTag({ type: 'module', content });
  const isDrawn = (selector: string) =>
    until(async () => {
      const canvas = page.locator(`${selector} canvas`).first();
      if ((await canvas.count()) === 0) return false;
      return difference(await outlineOf(canvas, PARTS), served) < 0.05;
    }, `the drawing in ${selector}`).catch((error) => {
      throw new Error(`${error.message}: ${errors.join()}`);
    });

  it('draw the waveform with wavesurfer.js, which plays where it is clicked', async () => {
    await run(`${scripts[0]}; globalThis.media = media;`);
    await isDrawn('#waveform');
    await page.locator('#waveform').click({ position: { x: 300, y: 50 } });
    await until(() => page.evaluate('media.currentTime > 10.2'), 'the sound');
    await page.evaluate('media.pause()');
  });

  it('draw the waveform with peaks.js', async () => {
    await run(scripts[1]!);
    await isDrawn('#overview');
    await page.locator('#zoomview canvas').first().waitFor();
    await page.locator('#zoom-out').click();
  });

  it('play the clip with a URL that has ended', async () => {
    setup.server.clock.advance(1_900);
    await run(`${scripts.slice(2).join('\n')}; globalThis.clip = clip;`);
    const expired = await page.evaluate('track.previewUrl');
    await page.locator('#play').click();
    await until(() => page.evaluate('clip.currentTime > 0.2'), 'the clip');
    expect(await page.evaluate('clip.src')).not.toBe(expired);
    // The click was answered by the error; the clip plays all the same.
    expect(errors.filter((message) => !/no supported source|NotSupported/.test(message))).toEqual(
      [],
    );
  });

  it('are four', () => expect(scripts).toHaveLength(4));
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: the scripts of docs/previews.md, because this machine has no Chromium');
}
