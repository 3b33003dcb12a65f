/** Writes the licenses of all packages of a release. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from './build.ts';
import type { Package } from './packages.ts';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;
/** Libraries in C that packages contain as WebAssembly without their licenses, and what a license refers to. */
const PARTS: Record<string, string> = {
  '@wasm-audio-decoders/flac': 'Xiph',
  '@wasm-audio-decoders/ogg-vorbis': 'Xiph',
  'codec-parser': 'GPL-3.0',
  'mpg123-decoder': 'LGPL-2.1',
  'opus-decoder': 'Xiph',
  'wasm-media-encoders': 'LGPL-2.0',
};
const RULE = `${'='.repeat(80)}\n`;

/** Returns the text of THIRD-PARTY-LICENSES.txt, with equal texts once. Throws if a package has none. */
export function licenseTexts({ packages, nodes, source }: Build): string {
  const owners = new Map<string, Set<string>>();
  for (const one of packages) {
    // It has the license of Stave.
    if (one.name.startsWith('@stave/')) continue;
    const folder = Object.values(nodes).find((path) => path.endsWith(`/${one.name}`));
    for (const text of textsOf(one, folder ?? join(source, one.path))) {
      const title = `${one.name}@${one.version} (${one.license})`;
      owners.set(text, (owners.get(text) ?? new Set()).add(title));
    }
  }
  const parts = [...owners].map(([text, titles]) => `${[...titles].join('\n')}\n\n${text}\n`);
  return `${RULE}${parts.join(`\n${RULE}`)}`;
}

function textsOf({ name, version, license }: Package, folder: string): string[] {
  const read = (path: string) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => read(join(folder, file)));
  const standard = (id: string) => join(import.meta.dirname, 'licenses', `${id}.txt`);
  if (texts.length === 0) {
    // The archive of the package names its license only.
    const path = license === 'Apache-2.0' ? join(folder, '../../..', 'LICENSE') : standard(license);
    if (!existsSync(path))
      throw new Error(`${name}@${version} has no text of its license ${license}`);
    const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    texts.push(
      `Copyright (c) ${author?.name ?? author ?? `the authors of ${name}`}\n\n${read(path)}`,
    );
  }
  if (PARTS[name] !== undefined) texts.push(read(standard(PARTS[name])));
  return texts;
}
