/**
 * Builds the explorer into a folder: the page, one script and one style sheet, whose names contain a digest of what is in
 * them.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const STYLES = /(?: *<link rel="stylesheet" href="\.\/(.+)" \/>\n)+/;
const source = join(import.meta.dirname, 'explorer');
const folder = process.argv[2]!;

const bundle = await rolldown({
  input: join(source, 'main.tsx'),
  platform: 'browser',
  tsconfig: join(import.meta.dirname, 'tsconfig.json'),
  transform: { target: 'es2024' },
});
const { output } = await bundle.generate({ minify: true });
const page = readFileSync(join(source, 'index.html'), 'utf8');
const styles = [...page.matchAll(/<link rel="stylesheet" href="(.+)" \/>\n/g)].map(([, path]) =>
  readFileSync(join(source, path!), 'utf8'),
);
mkdirSync(join(folder, 'assets'), { recursive: true });
const script = asset(output[0].code, 'js');
const sheet = asset(styles.join('').replaceAll(/\/\*.*?\*\/|^\s+/gms, ''), 'css');
writeFileSync(
  join(folder, 'index.html'),
  page
    .replace(STYLES, `    <link rel="stylesheet" href="${sheet}" />\n`)
    .replace('./main.tsx', script),
);

/** Writes a file of the page. Returns its address on the page. */
function asset(text: string, extension: string): string {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const address = `./assets/index-${digest}.${extension}`;
  writeFileSync(join(folder, address), text);
  return address;
}
