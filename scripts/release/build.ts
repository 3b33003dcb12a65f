/** Builds a commit in an empty folder: nothing of the working tree or its installed packages gets into a release. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  lockedPackages,
  NODE_PACKAGES,
  type Package,
  type Processor,
  packagesOf,
} from './packages.ts';
import { stage } from './stage.ts';

/** What the artifacts are made of. */
export interface Build {
  version: string;
  commit: string;
  /** The time of the commit in seconds since 1970, which all files of the artifacts get. */
  seconds: number;
  /** A folder with the commit, its packages and what `npm run build` makes. */
  source: string;
  /** A folder with all that runs besides Node. */
  root: string;
  /** What is in that folder, what is part of the explorer, and Node for each processor. */
  packages: Package[];
  /** For each processor, a folder with `bin/node` and the `LICENSE` of Node. */
  nodes: Record<Processor, string>;
}

/** Thrown if there is something to do before a release can be built. */
export class ReleaseError extends Error {}

/**
 * Builds the commit that is checked out.
 * @param work an empty folder.
 */
export function build(checkout: string, work: string): Build {
  const git = (...words: string[]) => run(checkout, 'git', words).trim();
  if (git('status', '--porcelain') !== '') {
    throw new ReleaseError(
      'commit or remove what `git status` lists: a release is built of a commit',
    );
  }
  const source = join(work, 'source');
  mkdirSync(source);
  git('-c', 'tar.umask=0022', 'archive', '--output', join(work, 'source.tar'), 'HEAD');
  run(work, 'tar', ['-xf', 'source.tar', '-C', source]);
  // Of the packages of development, those for traces are bundled.
  run(source, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  run(source, join(source, 'scripts/with-node'), ['node', 'scripts/ensure-built.mjs', '--always']);

  const root = join(work, 'root');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const names = stage(source, root);
  return {
    version,
    commit: git('rev-parse', 'HEAD'),
    seconds: Number(git('log', '-1', '--format=%ct')),
    source,
    root,
    packages: packagesOf(source, [...names, ...Object.values(NODE_PACKAGES)]),
    nodes: { x64: nodeOf(source, 'x64', work), arm64: nodeOf(source, 'arm64', work) },
  };
}

/** Unpacks the program and the license of the package of Node for the processor. Returns its folder. */
function nodeOf(source: string, processor: Processor, work: string): string {
  const name = NODE_PACKAGES[processor];
  const { version, integrity } = lockedPackages(source)[`node_modules/${name}`]!;
  const folder = join(work, name);
  mkdirSync(folder);
  run(folder, 'npm', ['pack', '--silent', '--ignore-scripts', `${name}@${version}`]);
  const archive = join(folder, readdirSync(folder)[0]!);
  const digest = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (integrity !== `sha512-${digest}`) {
    throw new Error(`${name}@${version} is not the file that package-lock.json names`);
  }
  run(folder, 'tar', [
    '-xzf',
    archive,
    '--strip-components=1',
    'package/bin/node',
    'package/LICENSE',
  ]);
  rmSync(archive);
  return folder;
}

/** Runs a program in the folder; its messages go to standard error. Returns what it prints. */
export function run(folder: string, program: string, words: readonly string[]): string {
  return execFileSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
