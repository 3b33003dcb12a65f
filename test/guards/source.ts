import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const ROOT = join(fileURLToPath(import.meta.url), '..', '..', '..');

const SUBPATHS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).imports;

/** Folders that a clone does not contain: see .gitignore. */
const NOT_OURS = new Set(['node_modules', '.git', 'data', '.env', 'coverage']);
/** Built files of a package. */
const BUILT = 'dist';

/** The paths of all files of the repository, relative to its root. */
export function repositoryFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => (folder !== '' || !NOT_OURS.has(name)) && name !== BUILT)
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? repositoryFiles(path) : [path];
    });
}

/** A source file: its path relative to the root, with `/`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** The source files in a folder, without generated ones, tests and code that only tests use. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('/generated/') && !path.includes(`/${BUILT}/`))
    .filter((path) => !/(?:^|[./-])(?:test|fixture)s?(?:-support)?(?:\.ts$|\/)/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The imports of a file: files of the repository by path, packages and built-in modules by name. */
export function importsOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  const specifiers = [
    ...code.matchAll(/\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g),
  ].map((match) => match[1]!);
  return specifiers.map((specifier) => {
    // A name of package.json for a file of the repository.
    if (specifier in SUBPATHS) return posix.normalize(SUBPATHS[specifier]!);
    return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
  });
}

/** The text without its comments. Sufficient for code that Biome has formatted. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/.*$/gm, '$1');
}
