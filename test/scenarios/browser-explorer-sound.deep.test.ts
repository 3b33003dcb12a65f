import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { hasBrowser } from '../harness/browser.ts';
import { deliveries } from '../harness/catalog.ts';
import { giveSounds, soundAt } from '../harness/sounds.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { wav } from '../harness/wav.ts';
import {
  browse,
  type ExplorerSetup,
  openDeveloper,
  signIn,
  totalOf,
} from './browser-explorer-support.ts';

const TRACKS = 5;
const MIB = 1024 * 1024;

describe.runIf(hasBrowser)(
  'tracks that sound alike in the explorer (skipped without Chromium)',
  () => {
    let server: TestServer;
    let setup: Pick<ExplorerSetup, 'browser' | 'open' | 'faults' | 'close'>;
    let client: TestClient;
    let page: Page;
    beforeAll(async () => {
      const sounds = new Map<string, Int8Array>();
      const tracks = deliveries(TRACKS).map((track, i) => {
        const audioKey = `${String(i).padStart(64, '0')}.wav`;
        sounds.set(audioKey, soundAt(i * 15));
        return { ...track, audioKey };
      });
      server = await startTestServer({ tracks, config: { analysis: true, previewThreads: 0 } });
      await giveSounds(server.operator.store, sounds);
      client = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
      setup = await browse(server);
    });
    afterAll(() => setup?.close());
    afterEach(async () => {
      await page?.context().close();
      expect(setup.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
    });

    it('compares a track by sound, and says how alike the others sound', async () => {
      page = await setup.open();
      await signIn(page, client);
      await page.getByRole('row').first().getByRole('link').first().click();
      const panel = page.getByRole('complementary');
      await panel.getByRole('link', { name: 'Sounds like' }).click();
      await page.waitForURL(/\?similar=[\w-]+&by=sound$/);
      await page.getByText(/^97 % similar, 97 % by sound/).waitFor();
      expect(await totalOf(page)).toBeGreaterThan(1);
      await page.getByLabel('Similar').selectOption('By both');
      await page.waitForURL(/&by=both$/);
      await page
        .getByText(/% by sound/)
        .first()
        .waitFor();
      await page.getByLabel('Similar').selectOption('By filters and tempo');
      await page.waitForURL(/\?similar=[\w-]+$/);
      await page
        .getByText(/% by sound/)
        .first()
        .waitFor({ state: 'detached' });
    });

    it('finds tracks that sound like a file that is chosen or dropped', async () => {
      page = await setup.open();
      await signIn(page, client);
      await page.getByRole('link', { name: 'Sounds like a file' }).click();
      const file = page.getByLabel('Audio file');
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a file' }).click();
      const buffer = wav(40_000);
      await (await chooser).setFiles({ name: 'sketch.wav', mimeType: 'audio/wav', buffer });
      await page.getByRole('heading', { name: 'Like “sketch.wav”' }).waitFor();
      await page
        .getByText(/% by sound/)
        .first()
        .waitFor();
      expect(await totalOf(page)).toBe(TRACKS);
      await openDeveloper(page, 'Code');
      const code = page.getByRole('region', { name: 'curl' }).locator('code');
      expect(await code.innerText()).toContain("--data-binary '@sketch.wav'");

      const alert = page.getByRole('alert');
      const none = { name: 'none.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('no audio') };
      await file.setInputFiles(none);
      await alert.getByText('The format of the file is unknown').waitFor();
      await file.setInputFiles({ ...none, buffer: Buffer.alloc(21 * MIB) });
      await alert.getByText('The file has 22 MB. Choose one of at most 20 MB.').waitFor();

      await page.getByRole('link', { name: 'Catalog', exact: true }).click();
      await page.evaluate(drop, [...buffer]);
      await page.getByRole('heading', { name: 'Like “dropped.wav”' }).waitFor();
      await page
        .getByText(/% by sound/)
        .first()
        .waitFor();
      expect(new URL(page.url()).search).toContain('list=by-audio');
    });
  },
);

/** Drops a file on the page. */
function drop(bytes: number[]): void {
  // biome-ignore lint/suspicious/noExplicitAny: runs in the page
  const { DataTransfer, DragEvent, File, document } = globalThis as any;
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(bytes)], 'dropped.wav'));
  for (const type of ['dragover', 'drop']) {
    const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector('main').dispatchEvent(event);
  }
}

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: tracks that sound alike, because this machine has no Chromium');
}
