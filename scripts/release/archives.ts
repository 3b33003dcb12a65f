/** Writes archives that are equal, byte by byte, whenever their files are. */
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Build, run } from './build.ts';
import { NODE_PACKAGES, type Processor } from './packages.ts';

/** Writes the package for `npm install -g`. Its dependencies are in it, so that npm needs no registry. */
export function writeNpmPackage({ root, seconds }: Build, path: string): void {
  // The name that npm expects.
  const folder = join(dirname(root), 'package');
  renameSync(root, folder);
  writeArchive(folder, seconds, path);
  renameSync(folder, root);
}

/** Writes the archive with Node. Its top folder has the name of the file, and in it `stave` is the command. */
export function writeArchiveWithNode(
  { root, seconds, nodes }: Build,
  processor: Processor,
  path: string,
): void {
  const folder = join(dirname(root), basename(path, '.tar.gz'));
  mkdirSync(folder);
  run(root, 'cp', ['-al', '.', folder]);
  cpSync(nodes[processor], join(folder, 'node_modules', NODE_PACKAGES[processor]), {
    recursive: true,
  });
  symlinkSync('bin/stave', join(folder, 'stave'));
  writeArchive(folder, seconds, path);
  rmSync(folder, { recursive: true });
}

/** Writes a folder into an archive, by GNU tar and gzip. */
function writeArchive(folder: string, seconds: number, path: string): void {
  const words = ['-I', 'gzip -n', '-cf', path, basename(folder)];
  run(dirname(folder), 'tar', [...tarOptions(seconds), ...words]);
}

/** Options of GNU tar: sorted, without owners, and all files of the same time. */
export function tarOptions(seconds: number): string[] {
  return [
    ...['--format=gnu', '--sort=name', '--owner=0', '--group=0', '--numeric-owner'],
    ...['--hard-dereference', '--mode=u=rwX,go=rX', `--mtime=@${seconds}`],
  ];
}
