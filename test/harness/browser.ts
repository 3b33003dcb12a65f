import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian installs Chromium. */
export const CHROMIUM = '/usr/bin/chromium';

/** Whether the tests in a browser can run here. */
export const hasBrowser: boolean = existsSync(CHROMIUM);

/** Starts Chromium without its own requests to other hosts; `options` go to its command line. */
export function launchBrowser(...options: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...options,
    ],
  });
}
