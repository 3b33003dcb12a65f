/**
 * Builds the explorer into a folder: the page, its script, the scripts that it loads when they are needed, and one style
 * sheet. Their names contain a digest of what is in them. And the picker: one script.
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
  preserveEntrySignatures: 'allow-extension',
});
const { output } = await bundle.generate({
  minify: true,
  // Otherwise, what several scripts need would be requests of its own.
  codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] },
  entryFileNames: 'assets/[name]-[hash].js',
  chunkFileNames: 'assets/[name]-[hash].js',
});
const page = readFileSync(join(source, 'index.html'), 'utf8');
const styles = [...page.matchAll(/<link rel="stylesheet" href="(.+)" \/>\n/g)].map(([, path]) =>
  readFileSync(join(source, path!), 'utf8'),
);
mkdirSync(join(folder, 'assets'), { recursive: true });
for (const chunk of output) {
  if (chunk.type === 'chunk') writeFileSync(join(folder, chunk.fileName), chunk.code);
}
const sheet = asset(styles.join('').replaceAll(/\/\*.*?\*\/|^\s+/gms, ''), 'css');
writeFileSync(
  join(folder, 'index.html'),
  page
    .replace(STYLES, `    <link rel="stylesheet" href="${sheet}" />\n`)
    .replace('./main.tsx', `./${output[0].fileName}`),
);

// Pages of partners name the picker, so its address stays the same.
const picker = join(import.meta.dirname, '../packages/picker/src/index.ts');
const pickerBundle = await rolldown({
  input: picker,
  platform: 'browser',
  tsconfig: join(import.meta.dirname, 'tsconfig.json'),
  transform: { target: 'es2022' },
});
const { output: pickerOutput } = await pickerBundle.generate({ minify: true });
writeFileSync(join(folder, 'picker.js'), pickerOutput[0].code);

/** Writes a file of the page. Returns its address on the page. */
function asset(text: string, extension: string): string {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const address = `./assets/index-${digest}.${extension}`;
  writeFileSync(join(folder, address), text);
  return address;
}
