import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../guards/source.ts';
import { type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';

/** A folder of a partner's project, with the packed client library installed. */
export interface PackedClient extends Disposable {
  folder: TemporaryFolder;
  /** The paths in the package. */
  files: string[];
  /** The folder of the installed package. */
  installed: string;
}

/** Packs the client library as for a release, and installs the archive in a new project. */
export function installPackedClient(): PackedClient {
  const folder = temporaryFolder();
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--offline'], {
      cwd,
      encoding: 'utf8',
    });
  const packed = npm(
    join(ROOT, 'packages/sdk'),
    'pack',
    '--silent',
    '--pack-destination',
    folder.path,
  );
  const archive = folder.at(packed.trim().split('\n').at(-1)!);
  const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  const project = folder.at('project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  npm(project, 'install', '--silent', archive);
  // Only for the types of Node.
  mkdirSync(join(project, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  return {
    folder,
    files,
    installed: join(project, 'node_modules/@stave/client'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The blocks of a page of the repository in one language. */
export function codeOf(path: string, language: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(([, code]) => code!);
}

/** The TypeScript of a page of the repository: all blocks, as one module. */
export function typeScriptOf(path: string): string {
  return codeOf(path, 'ts').join('\n');
}

/**
 * Returns the runtimes that run the examples: this Node, and those of STAVE_TEST_RUNTIMES, commands that are
 * separated by semicolons.
 */
export function runtimes(): [name: string, command: string[]][] {
  const others = (process.env.STAVE_TEST_RUNTIMES ?? '').split(';').filter((text) => text !== '');
  return [
    ['this Node', [process.execPath]],
    ...others.map((text): [string, string[]] => [text, text.split(' ')]),
  ];
}
