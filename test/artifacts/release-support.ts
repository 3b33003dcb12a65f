import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../guards/source.ts';

/** Clones the working tree of the tests, with what is not committed yet, into a commit in the folder. */
export function cloneWorkingTree(folder: string): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
  const here = (...words: string[]) => execFileSync('git', words, { cwd: ROOT });
  execFileSync('git', ['clone', '--quiet', ROOT, folder]);
  const changes = here('diff', 'HEAD', '--binary');
  if (changes.length > 0) execFileSync('git', ['apply'], { cwd: folder, input: changes });
  const added = here('ls-files', '--others', '--exclude-standard', '-z').toString();
  for (const path of added.split('\0').filter(Boolean))
    cpSync(join(ROOT, path), join(folder, path));
  if (git('status', '--porcelain') === '') return;
  git('add', '--all');
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  git(...who, 'commit', '--quiet', '--message', 'Working tree');
}

/** Whether `dist` contains the release of the commit that is checked out, and nothing has changed since. */
export function hasRelease(folder: string, version: string): boolean {
  const provenance = join(folder, 'dist', `stave-${version}.provenance.json`);
  if (!existsSync(provenance)) return false;
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
  const { predicate } = JSON.parse(readFileSync(provenance, 'utf8'));
  const { commit } = predicate.buildDefinition.externalParameters;
  return commit === git('rev-parse', 'HEAD') && git('status', '--porcelain') === '';
}

export interface Ended {
  code: number | null;
  stderr: string;
}

/** Clones a commit into a folder and builds its release, all with the umask. The files are in its folder `dist`. */
export async function release(from: string, folder: string, umask: string): Promise<Ended> {
  const script = `umask ${umask}; [ -e "$2" ] || git clone --quiet "$1" "$2"; cd "$2"; exec "$3" ${RELEASE}`;
  const child = spawn('sh', ['-c', script, 'sh', from, folder, process.execPath]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

const RELEASE = '--disable-warning=ExperimentalWarning scripts/release/release.ts';

/** What a program in C++ and a script need. Coreutils are for `readlink` and `uname`. */
const DEBIAN_PACKAGES = [
  ...['libc6', 'libstdc++6', 'libgcc-s1', 'dash', 'coreutils'],
  ...['libacl1', 'libattr1', 'libgmp10', 'libselinux1', 'libpcre2-8-0'],
];

/** Fills the folder with a root of these packages of this Debian: without Node, npm and everything else. */
export function debianRoot(folder: string): void {
  for (const name of ['bin', 'lib', 'lib64']) {
    mkdirSync(join(folder, 'usr', name), { recursive: true });
    execFileSync('ln', ['-s', `usr/${name}`, join(folder, name)]);
  }
  for (const name of ['data', 'dev', 'proc', 'tmp']) {
    mkdirSync(join(folder, name));
    chmodSync(join(folder, name), 0o777);
  }
  const files = execFileSync('dpkg', ['--listfiles', ...DEBIAN_PACKAGES], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /^\/(usr\/)?(bin|lib|lib64)\/(?!.*\/gconv\/)/.test(path))
    .filter((path) => existsSync(path) && !statSync(path).isDirectory());
  execFileSync('cp', ['--parents', '--no-dereference', ...files, folder]);
}
