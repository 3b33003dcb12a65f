import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = join(fileURLToPath(import.meta.url), '..', '..', '..');

/** A source file: its path relative to the checkout, with `/`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** The TypeScript files beneath a folder of the checkout, without tests and their fixtures. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(?:^|[./-])(?:test|fixture)s?(?:\.ts$|\/)/.test(path))
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
