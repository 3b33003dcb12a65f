// Makes the bundles that bin/load-fast.mjs loads, with names and line breaks for stack traces.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { BUNDLED, BUNDLED_FOR_TRACES, BUNDLES, fileOf } from '../bin/bundles.mjs';

const folder = fileURLToPath(BUNDLES).replace(/\/$/, '');
const made = `${folder}-${process.pid}`;

// Packages of development may not be installed.
const forTraces = BUNDLED_FOR_TRACES.filter((name) =>
  existsSync(new URL(`../node_modules/${name}`, import.meta.url)),
);
const names = [...BUNDLED, ...forTraces];
const input = Object.fromEntries(names.map((specifier) => [fileOf(specifier), specifier]));
const bundle = await rolldown({ input, platform: 'node' });
await bundle.write({ dir: made, entryFileNames: '[name]', chunkFileNames: '[name]-[hash].js' });
try {
  // Other processes see all files or none.
  renameSync(made, folder);
} catch (error) {
  rmSync(made, { recursive: true });
  // Another process was faster.
  if (!existsSync(folder)) throw error;
}
