/**
 * Builds the pages into a folder: the explorer, and the page of links to collections. Each has its script, the scripts that
 * it loads when they are needed, and one style sheet. Their names contain a digest of what is in them. And the picker: one
 * script.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const STYLES = /(?: *<link rel="stylesheet" href="\.{1,2}\/(.+)" \/>\n)+/;
const folder = process.argv[2]!;

mkdirSync(join(folder, 'assets'), { recursive: true });
await build('explorer', 'index', './', true);
// Its address is one level deeper: /s/TOKEN.
await build('shared', 'shared', '../', false);

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

/**
 * @param base the address of the root of the service on the page
 * @param hasParts whether it loads some scripts only when they are needed
 */
async function build(source: string, name: string, base: string, hasParts: boolean): Promise<void> {
  const sources = join(import.meta.dirname, source);
  const bundle = await rolldown({
    input: { [name]: join(sources, 'main.tsx') },
    platform: 'browser',
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    transform: { target: 'es2024' },
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await bundle.generate({
    minify: true,
    // Otherwise, what several scripts need would be requests of its own.
    codeSplitting: hasParts && { groups: [{ name, tags: ['$initial'] }] },
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
  });
  for (const chunk of output) {
    if (chunk.type === 'chunk') writeFileSync(join(folder, chunk.fileName), chunk.code);
  }
  const page = readFileSync(join(sources, 'index.html'), 'utf8');
  const styles = [...page.matchAll(/<link rel="stylesheet" href="(.+)" \/>\n/g)].map(([, path]) =>
    readFileSync(join(sources, path!), 'utf8'),
  );
  const sheet = asset(name, styles.join('').replaceAll(/\/\*.*?\*\/|^\s+/gms, ''), 'css');
  writeFileSync(
    join(folder, `${name}.html`),
    page
      .replace(STYLES, `    <link rel="stylesheet" href="${base}${sheet}" />\n`)
      .replace('./main.tsx', base + output[0].fileName),
  );
}

/** Writes a file of a page. Returns its path in the folder. */
function asset(name: string, text: string, extension: string): string {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const path = `assets/${name}-${digest}.${extension}`;
  writeFileSync(join(folder, path), text);
  return path;
}
