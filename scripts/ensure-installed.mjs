// Runs before `npm start` and `npm test`, on whatever Node the machine carries: a fresh clone
// installs what the lockfile names, an installed one costs a few milliseconds.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(fileURLToPath(import.meta.url), '..', '..');

if (!isInstalled()) {
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      'stave: node_modules is a link, and what it leads to is not what package-lock.json names; ' +
        'npm ci would empty that folder. Remove the link, or install there.',
    );
    process.exit(1);
  }
  console.error('stave: installing what package-lock.json names (once, about half a minute) …');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, options);
  if (result.status !== 0 || !existsSync(join(root, 'node_modules', '.bin', 'node'))) {
    console.error('stave: the installation failed; run `npm ci` and read what it says.');
    process.exit(1);
  }
}

/** npm writes the tree it installed beside it; every package of the lockfile for this machine is there. */
function isInstalled() {
  try {
    const wanted = packagesOf('package-lock.json');
    const present = packagesOf('node_modules/.package-lock.json');
    return (
      existsSync(join(root, 'node_modules', '.bin', 'node')) &&
      Object.entries(wanted).every(
        ([path, entry]) =>
          path === '' || entry.optional || present[path]?.version === entry.version,
      )
    );
  } catch {
    return false;
  }
}

function packagesOf(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
}
