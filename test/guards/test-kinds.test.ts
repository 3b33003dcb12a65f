import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALONE } from '../harness/alone.ts';
import { importsOf, ROOT, repositoryFiles, type SourceFile } from './source.ts';

/** What needs a service, a browser or a program that npm does not install. */
const SERVICES =
  /^test\/harness\/(?:browser|ffmpeg|pgbouncer|poppler|postgres-server|prometheus|proxies|redis-server|s3-server)\.ts$/;
/** What changes the process for all files that share it. */
const CHANGES_PROCESS =
  /\bvi\.(?:useFakeTimers|mock|stubGlobal|stubEnv)\(|\bvi\.spyOn\((?:performance|process|globalThis|[\w.]+\.prototype)\b/;
/** A hook at the top level: of several files in one process, only the first that imports the module would have it. */
const HOOK = /^(?:beforeAll|beforeEach|afterEach|afterAll)\(/m;

const files: ReadonlyMap<string, SourceFile> = new Map(
  repositoryFiles()
    .filter((path) => /^(?:src|packages|test|bench|web)\/.*\.ts$/.test(path))
    .map((path) => [path, { path, text: readFileSync(join(ROOT, path), 'utf8') }]),
);
const fast = [...files.values()].filter(
  ({ path }) => path.endsWith('.test.ts') && !path.endsWith('.deep.test.ts'),
);

/** What a file imports of the test code, directly or by other test code. */
function testImports(file: SourceFile, seen = new Set<string>()): Set<string> {
  for (const path of importsOf(file)) {
    const imported = files.get(path);
    if (imported === undefined || seen.has(path) || !/^test\/|\.test-support\.ts$/.test(path)) {
      continue;
    }
    seen.add(path);
    testImports(imported, seen);
  }
  return seen;
}

describe('the tests that npm test runs', () => {
  it('need no service', () => {
    const needy = fast.flatMap((file) =>
      [...testImports(file)].filter((path) => SERVICES.test(path)).map((path) => [file.path, path]),
    );
    expect(needy).toEqual([]);
  });

  it('have a process of their own if they change it', () => {
    const changing = fast.filter(({ text }) => CHANGES_PROCESS.test(text)).map(({ path }) => path);
    expect(changing.filter((path) => !ALONE.includes(path))).toEqual([]);
    const paths = fast.map(({ path }) => path);
    expect(ALONE.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('have no hooks in the modules that they share', () => {
    const shared = [...files.values()].filter(
      ({ path, text }) => !path.endsWith('.test.ts') && HOOK.test(text),
    );
    expect(shared.map(({ path }) => path)).toEqual([]);
  });
});
