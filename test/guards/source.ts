import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = join(fileURLToPath(import.meta.url), '..', '..', '..');

/** What a clone does not hold: see .gitignore. */
const NOT_OURS = new Set(['node_modules', '.git', 'data', '.env', 'coverage']);

/** Paths of all files of the checkout, relative to it. */
export function repositoryFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => folder !== '' || !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? repositoryFiles(path) : [path];
    });
}

/** A source file: its path relative to the checkout, with `/`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** The source files beneath a folder of the checkout, without tests and what only tests use. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(?:^|[./-])(?:test|fixture)s?(?:-support)?(?:\.ts$|\/)/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** What a file imports: files of ours by their path, packages and built-ins by their name. */
export function importsOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  const specifiers = [
    ...code.matchAll(/\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g),
  ].map((match) => match[1]!);
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier,
  );
}

/** The text with its comments blanked out; good enough for code that Biome has formatted. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/.*$/gm, '$1');
}
