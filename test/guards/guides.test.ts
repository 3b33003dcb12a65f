import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUIDE_SECTIONS, GUIDES, REFERENCE_PAGES } from '../../src/docs-site/openapi/guides.ts';
import { ROOT, repositoryFiles } from './source.ts';

const files = [...GUIDE_SECTIONS.flatMap(({ guides }) => guides), ...REFERENCE_PAGES].map(
  ({ file }) => file,
);
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

it('runs the code of each guide for partners', () => {
  const tests = repositoryFiles()
    .filter((path) => /^test\/(scenarios|sdk)\//.test(path))
    .map(text)
    .join('\n');
  const withCode = GUIDES.filter(({ file }) => /^```(sh|js|ts|python)$/m.test(text(file)));
  expect(withCode.length).toBeGreaterThan(15);
  expect(withCode.filter(({ file }) => !tests.includes(file))).toEqual([]);
});

it('serves every page of the contract, and every guide but those of the repository', () => {
  const pagesOf = (folder: string) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  const all = [...pagesOf('docs'), ...pagesOf('docs/contract'), ...pagesOf('docs/reference')];
  expect(all.filter((path) => !files.includes(path))).toEqual([
    'docs/README.md',
    'docs/releasing.md',
    'docs/scale.md',
    'docs/verification.md',
    'docs/why.md',
  ]);
});
