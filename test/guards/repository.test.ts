import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './source.ts';

/** What a clone does not hold: see .gitignore. */
const NOT_OURS = new Set(['node_modules', '.git', 'data', '.env', 'coverage']);
const MOST_LINES = 300;
/** Tables: long, and still one idea. */
const TABLES = new Set(['src/demo/music.ts']);

/** Written in pieces, so that this file does not hold what it looks for. */
const TRACES: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'a path of the machine it was built on',
    new RegExp(['', 'work', '(?:main|shared|\\.)'].join('/')),
  ],
  ['a home folder', new RegExp(['', '(?:root|home/\\w+)', ''].join('/'))],
  ['a local tool', new RegExp(['\\bfarm', '\\w'].join('-'))],
];

function repositoryFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => folder !== '' || !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? repositoryFiles(path) : [path];
    });
}

function tracesIn(text: string): string[] {
  return TRACES.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
}

describe('the repository', () => {
  it('holds nothing of the machine it was built on', () => {
    const found = repositoryFiles().flatMap((path) =>
      tracesIn(readFileSync(join(ROOT, path), 'utf8')).map((what) => `${path}: ${what}`),
    );
    expect(found).toEqual([]);
  });

  it('would notice it', () => {
    expect(tracesIn(['', 'work', 'main', 'src'].join('/'))).toHaveLength(1);
    expect(tracesIn(['see ', 'root', '.npmrc'].join('/'))).toHaveLength(1);
    expect(tracesIn(['farm', 'registry'].join('-'))).toHaveLength(1);
    expect(tracesIn('https://example.com/network/main and ../shared/data')).toEqual([]);
  });

  it('pins every package to one exact version', () => {
    const { dependencies, devDependencies, optionalDependencies } = json('package.json');
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
    const loose = Object.entries(all).filter(
      ([, v]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(v)),
    );
    expect(loose).toEqual([]);
  });

  it('locks packages by integrity, not by where this machine fetched them', () => {
    const { packages } = json('package-lock.json') as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    const fetched = Object.entries(packages).filter(([path]) => path !== '');
    expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    const unlocked = fetched.filter(([, { integrity, link }]) => !integrity && !link);
    expect(unlocked).toEqual([]);
  });

  it('runs `stave` from its bin', () => {
    const { bin } = json('package.json');
    expect(readFileSync(join(ROOT, bin.stave), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it(`keeps each source file to one idea: ${MOST_LINES} lines at most`, () => {
    const long = sourceFiles('src')
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > MOST_LINES && !TABLES.has(path));
    expect(long).toEqual([]);
  });
});

function json(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
