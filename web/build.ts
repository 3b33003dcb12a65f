/**
 * Builds the pages into a folder: the explorer, and the page of links to collections, once in each language. Each has its
 * script, the scripts that it loads when they are needed, and one style sheet. Their names contain a digest of what is in
 * them. And the picker: one script.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const STYLES = /(?: *<link rel="stylesheet" href="\.{1,2}\/(.+)" \/>\n)+/;
const folder = process.argv[2]!;

mkdirSync(join(folder, 'assets'), { recursive: true });
const explorer = await build('explorer', 'index', './');
writeFileSync(join(folder, 'index.html'), explorer.page);
// Its address is one level deeper: /s/TOKEN.
const shared = await build('shared', 'shared', '../');
for (const language of ['en', 'de', 'fr', 'es']) {
  const path = join(import.meta.dirname, 'shared/texts', `${language}.json`);
  const texts = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  const script = shared.chunks.get(language);
  const page = shared.page
    .replace('lang="en"', `lang="${language}"`)
    .replaceAll(/\{(\w+)\}/g, (_, key: string) => texts[key]!)
    // English is in the script of the page.
    .replace(
      '  </head>',
      script ? `    <link rel="modulepreload" href="${script}" />\n  </head>` : '  </head>',
    );
  writeFileSync(join(folder, `shared.${language}.html`), page);
}

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
 * Builds the scripts and the style sheet of a page. Returns its text, and the addresses of the scripts that are loaded later.
 *
 * @param base the address of the root of the service on the page
 */
async function build(
  source: string,
  name: string,
  base: string,
): Promise<{ page: string; chunks: ReadonlyMap<string, string> }> {
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
    codeSplitting: { groups: [{ name, tags: ['$initial'] }] },
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: `assets/${name}-[name]-[hash].js`,
  });
  for (const chunk of output) {
    if (chunk.type === 'chunk') writeFileSync(join(folder, chunk.fileName), chunk.code);
  }
  const page = readFileSync(join(sources, 'index.html'), 'utf8');
  const styles = [...page.matchAll(/<link rel="stylesheet" href="(.+)" \/>\n/g)].map(([, path]) =>
    readFileSync(join(sources, path!), 'utf8'),
  );
  const sheet = asset(name, styles.join('').replaceAll(/\/\*.*?\*\/|^\s+/gms, ''), 'css');
  return {
    page: page
      .replace(STYLES, `    <link rel="stylesheet" href="${base}${sheet}" />\n`)
      .replace('./main.tsx', base + output[0].fileName),
    chunks: new Map(
      output.flatMap((one) => (one.type === 'chunk' ? [[one.name, base + one.fileName]] : [])),
    ),
  };
}

/** Writes a file of a page. Returns its path in the folder. */
function asset(name: string, text: string, extension: string): string {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const path = `assets/${name}-${digest}.${extension}`;
  writeFileSync(join(folder, path), text);
  return path;
}
