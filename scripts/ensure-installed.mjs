// Runs before `npm start` and `npm test`, on any Node from 18. Installs what package-lock.json
// names after a clone; takes a few milliseconds if everything is installed. Options:
//   --omit=dev  the development packages are not required, and after a clone not installed.
//   --build     continue with scripts/ensure-built.mjs, in the same process.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** npm writes the installed tree into this file. */
const INSTALLED = 'node_modules/.package-lock.json';
const root = join(fileURLToPath(import.meta.url), '..', '..');
const wanted = packagesOf('package-lock.json');
const needsDevelopment = !process.argv.includes('--omit=dev');
/**
 * The path of the Node package for this machine, which scripts/with-node looks for. There may be
 * none.
 */
const ownNode = `node_modules/node-${process.platform}-${process.arch}`;

const isOld = Number(process.versions.node.split('.')[0]) < 24;

if (isOld && !(ownNode in wanted)) {
  fail(
    `needs Node 24 or later; npm has none for ${process.platform}-${process.arch}, ` +
      `and this machine has ${process.version}: install it from https://nodejs.org`,
  );
}
if (!isInstalled()) {
  refuseLinkedFolder();
  console.error(
    'stave: installing what package-lock.json names (once; some minutes on a slow connection) …',
  );
  install();
}
if (process.argv.includes('--build')) await import('./ensure-built.mjs');

/**
 * Whether all packages of package-lock.json that this machine and the caller need are installed.
 */
function isInstalled() {
  const present = presentPackages();
  return Object.entries(wanted).every(
    ([path, { version, optional, dev, os, cpu, libc }]) =>
      path === '' ||
      // The link to a package of this repository has no version.
      (path in present && present[path].version === version) ||
      (dev && !needsDevelopment) ||
      (optional && !fits({ os, cpu, libc })),
  );
}

/**
 * Whether an optional package is made for this machine. A package for all machines may belong to an
 * omitted one.
 */
function fits({ os, cpu, libc }) {
  return (
    os?.includes(process.platform) &&
    cpu?.includes(process.arch) &&
    (libc === undefined || libc.includes(systemLibc()))
  );
}

function systemLibc() {
  // Otherwise the report looks up the names of all open connections.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/** `npm ci` empties node_modules, so this ends the process if node_modules is a link to another folder. */
function refuseLinkedFolder() {
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail(
      'node_modules is a link, and what it leads to is not what package-lock.json names; ' +
        'npm ci would empty that folder. Remove the link, or install there.',
    );
  }
}

/**
 * npm omits optional packages that need a newer Node than the one that runs it, such as the bundler. Then it runs again,
 * with the Node that it has installed.
 */
function install() {
  const kinds = packageKinds();
  npmCi(process.execPath, kinds);
  if (!isOld || isInstalled()) return;
  // npm ci empties node_modules, so Node runs from a copy.
  const folder = mkdtempSync(join(tmpdir(), 'stave-node-'));
  cpSync(join(root, ownNode, 'bin', 'node'), join(folder, 'node'));
  npmCi(join(folder, 'node'), kinds);
  rmSync(folder, { recursive: true });
}

function npmCi(node, kinds) {
  const npm = process.env.npm_execpath;
  const args = ['ci', ...kinds, '--no-audit', '--no-fund', '--loglevel=error'];
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  const options = { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, PATH } };
  const { status } = npm
    ? spawnSync(node, [npm, ...args], options)
    : spawnSync('npm', args, options);
  if (status !== 0) fail('the installation failed; run `npm ci` and read what it says.');
}

/** Development packages stay, if there are some. */
function packageKinds() {
  if (needsDevelopment) return ['--include=dev'];
  return Object.values(presentPackages()).some(({ dev }) => dev) ? [] : ['--omit=dev'];
}

/** Returns the installed packages by path. */
function presentPackages() {
  return existsSync(join(root, INSTALLED)) ? packagesOf(INSTALLED) : {};
}

/** Returns the packages by path. */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
}

function fail(reason) {
  console.error(`stave: ${reason}`);
  process.exit(1);
}
