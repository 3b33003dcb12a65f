import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, repositoryFiles } from './source.ts';

/** A source file in backquotes, by its path or the end of it; but not a pattern, which begins with NAME. */
const NAMED = /`((?!NAME)[\w./-]+\.(?:ts|mjs|md))`/g;

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only files that exist', (document) => {
  const paths = repositoryFiles();
  const named = [...readFileSync(join(ROOT, document), 'utf8').matchAll(NAMED)].map(
    ([, name]) => name!,
  );
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter(
    (name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)),
  );
  expect(missing).toEqual([]);
});
