/**
 * `npm run screenshot`: takes the pictures of the explorer that the README shows, from a Stave with the demo catalog, in
 * Chromium. Writes explorer-light.png and explorer-dark.png, and explorer.txt with the text in them, to docs/images or to the
 * folder that is given. A test compares the text, so that the pictures are taken anew when it has changed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signIn, startExplorer } from '../test/scenarios/browser-explorer-support.ts';

const folder = process.argv[2] ?? fileURLToPath(new URL('../docs/images', import.meta.url));

const { open, full, faults, close } = await startExplorer();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open('', { viewport: { width: 1280, height: 660 }, colorScheme });
    await signIn(page, full);
    await page.getByRole('button', { name: /^Music/ }).click();
    await page.getByRole('button', { name: 'Play Harbour at First Light' }).click();
    await page.locator('canvas.drawn').waitFor();
    await page
      .getByRole('button', { name: /^Pause/ })
      .first()
      .click();
    await page.getByLabel('Position').fill('9');
    // Those of the visible rows are made now, or have been.
    await page.locator('.outline canvas.made').nth(5).waitFor({ timeout: 120_000 });
    await page.getByRole('combobox', { name: /^Search/ }).hover();
    const png = await page.screenshot({ animations: 'disabled' });
    writeFileSync(join(folder, `explorer-${colorScheme}.png`), png);
    const shown = await page.locator('body').innerText();
    writeFileSync(join(folder, 'explorer.txt'), shown.replace(/\s*\n\s*/g, '\n'));
    await page.context().close();
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
} finally {
  await close();
}
