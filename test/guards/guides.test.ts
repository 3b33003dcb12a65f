import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUIDES } from '../../src/openapi/guides.ts';
import { ROOT } from './source.ts';

it('copies each guide that Stave serves into the image', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) =>
    paths!.split(' '),
  );
  expect(copied).toEqual(expect.arrayContaining(GUIDES.map(({ file }) => `docs/${file}`)));
});
