import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.ts';

const MAX_LINES = 600;
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'packages'];

/**
 * The tests and the code that only tests use: all code in `test`, and files named `*.test.ts` or `*.test-support.ts`.
 */
function testFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter((path) =>
        folder === 'test' ? /\.(?:ts|py)$/.test(path) : /\.test(?:-support)?\.ts$/.test(path),
      ),
  );
}

it(`has at most ${MAX_LINES} lines in each test file`, () => {
  const files = testFiles();
  expect(files).toContain(relative(ROOT, import.meta.filename));
  const long = files
    .map((path) => ({ path, lines: readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  expect(long).toEqual([]);
});
