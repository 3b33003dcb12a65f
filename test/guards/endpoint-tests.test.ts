import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.ts';

/** The endpoint tests, which repeat method, path and access of their operation. */
function endpointTests(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.endpoint(?:\.deep)?\.test\.ts$/.test(path))
    .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));
}

it('finds a test of each operation in the folder of its endpoint', () => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations.length).toBeGreaterThan(0);
  const tests = endpointTests();
  expect(operations.filter((id) => !tests.some((text) => text.includes(`'${id}'`)))).toEqual([]);
});
