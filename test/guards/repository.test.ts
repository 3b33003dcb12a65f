import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles, sourceFiles } from './source.ts';

const MAX_LINES = 600;

/** In pieces, so that this file does not contain what it searches for. */
const TRACES: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'a path of the machine it was built on',
    new RegExp(['', 'work', '(?:main|shared|\\.)'].join('/')),
  ],
  ['a home folder', new RegExp(['', '(?:root|home/\\w+)', ''].join('/'))],
  ['a local tool', new RegExp(['\\bfarm', '\\w'].join('-'))],
];

function tracesIn(text: string): string[] {
  return TRACES.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
}

describe('the repository', () => {
  it('contains no trace of the machine on which it was built', () => {
    const found = repositoryFiles().flatMap((path) =>
      tracesIn(readFileSync(join(ROOT, path), 'utf8')).map((what) => `${path}: ${what}`),
    );
    expect(found).toEqual([]);
  });

  it('has a check that detects such traces', () => {
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

  it('has one version, which is the newest release in the changelog', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    const [, newest] = /^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(changelog)!;
    const files = ['package.json', 'package-lock.json', 'packages/sdk/package.json'];
    expect(files.map((file) => json(file).version)).toEqual([newest, newest, newest]);
  });

  it('names the bundles for traces by the version of the exporter', () => {
    const { devDependencies } = json('package.json');
    const bundles = readFileSync(join(ROOT, 'bin/bundles.mjs'), 'utf8');
    expect(/TRACES_VERSION = '(.*)'/.exec(bundles)?.[1]).toBe(
      devDependencies['@opentelemetry/exporter-trace-otlp-http'],
    );
  });

  it('locks packages by integrity, without the host from which they were fetched', () => {
    const { packages } = json('package-lock.json') as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    const links = Object.values(packages).filter(({ link }) => link);
    const own = new Set(['', ...links.map(({ resolved }) => resolved)]);
    const fetched = Object.entries(packages).filter(([path, { link }]) => !link && !own.has(path));
    expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(fetched.filter(([, { integrity }]) => !integrity)).toEqual([]);
  });

  it('needs a Node of the machine only for the installation', () => {
    const { bin, scripts } = json('package.json') as Record<string, Record<string, string>>;
    expect(readFileSync(join(ROOT, bin!.stave!), 'utf8')).toMatch(/^#!\/bin\/sh\n/);
    const commands = Object.values(scripts!).flatMap((script) => script.split(' && '));
    const others = commands.filter(
      (command) =>
        !/^(?:(?:exec )?(?:scripts\/with-node|bin\/stave|\.ci\/npm)|npm (?:run|test))\b/.test(
          command,
        ),
    );
    expect([...new Set(others.map((command) => command.replace(/ --.*/, '')))]).toEqual([
      'node scripts/ensure-installed.mjs',
    ]);
  });

  it('finds Node by the path of its package, because many npm versions do not link it', () => {
    const link = ['node_modules', '.bin'].join('/');
    const relying = repositoryFiles().filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return text.includes(`${link}/node`) || text.includes(`${link}:`);
    });
    expect(relying).toEqual([]);
  });

  it(`has at most ${MAX_LINES} lines in each source file`, () => {
    const long = ['src', 'packages']
      .flatMap(sourceFiles)
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });
});

function json(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
