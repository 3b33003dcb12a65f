import { afterEach, describe, expect, it } from 'vitest';
import { startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import {
  type PlayerSetup,
  playedOf,
  rowOf,
  startPlayer,
  TRACKS,
} from './browser-player-support.ts';

describe.runIf(hasBrowser)('examples/player (skipped without Chromium)', () => {
  let setup: PlayerSetup;
  afterEach(() => setup?.close());

  it('draws and plays what is being made as soon as it exists', async () => {
    setup = await startPlayer(0);
    const page = await setup.browser.newPage();
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (/\/media\/(?:preview|waveform)\//.test(response.url())) statuses.push(response.status());
    });
    await page.goto(setup.address);
    const steps = await rowOf(setup, page, TRACKS.steps);
    const clip = steps.locator('.clip');
    await clip.click();
    await until(() => statuses.includes(503), 'the first response');
    expect(await clip.getAttribute('data-state')).toBe('waiting');
    expect(await steps.locator('.wave.drawn').count()).toBe(0);

    const config = { ...setup.server.config, port: 0, previewThreads: 1 };
    const { clock } = setup.server;
    const node = await startService({ config, clock, log: silentLog });
    try {
      await steps.locator('.wave.drawn').waitFor();
      await until(async () => (await playedOf(clip)) > 0, 'the clip');
    } finally {
      await node.close();
    }
  });
});
