import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { temporaryFolder } from '../harness/cli.ts';
import { textOf } from './guide-lines.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PICTURES = ['explorer-light.png', 'explorer-dark.png'];

/** Width and height in the head of a PNG file, and its size. */
function describePicture(path: string) {
  const bytes = readFileSync(path);
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), bytes: bytes.length };
}

it.runIf(hasBrowser)(
  'the pictures of the README show what the explorer shows now; otherwise, `npm run screenshot` takes them anew (skipped without Chromium)',
  async () => {
    using folder = temporaryFolder();
    const run = promisify(execFile);
    await run(process.execPath, [at('scripts/screenshot.ts'), folder.path]);
    const text = readFileSync(folder.at('explorer.txt'), 'utf8');
    expect(text).toMatch(/^24 tracks\n/m);
    expect(text).toMatch(/^Harbour at First Light$/m);
    expect(textOf('docs/images/explorer.txt')).toBe(text);
    for (const name of PICTURES) {
      expect(textOf('README.md')).toContain(`docs/images/${name}`);
      const [taken, kept] = [folder.path, at('docs/images')].map((one) =>
        describePicture(join(one, name)),
      );
      expect(kept).toMatchObject({ width: taken!.width, height: taken!.height });
      for (const { bytes } of [taken!, kept!]) {
        expect(bytes).toBeGreaterThan(50_000);
        expect(bytes).toBeLessThan(200_000);
      }
    }
  },
  300_000,
);
