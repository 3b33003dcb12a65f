// Runs before `npm start` and `npm test`, on any Node from 18. Installs what package-lock.json
// names after a clone; takes a few milliseconds if everything is installed. Option --omit=dev: the
// development packages are not required, except after a clone, to build the explorer.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** npm writes the installed tree into this file. */
const INSTALLED = 'node_modules/.package-lock.json';
const root = join(fileURLToPath(import.meta.url), '..', '..');
const wanted = packagesOf('package-lock.json');
const present = existsSync(join(root, INSTALLED)) ? packagesOf(INSTALLED) : {};
/** scripts/ensure-built.mjs runs next. */
const isClone = Object.keys(present).length === 0 && !existsSync(join(root, 'web/dist/index.html'));
const needsDevelopment = isClone || !process.argv.includes('--omit=dev');
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
// scripts/with-node prints one line if the installed Node does not run on this machine.
const { status } = spawnSync(join(root, 'scripts', 'with-node'), ['true'], { stdio: 'inherit' });
process.exitCode = status ?? 1;

/**
 * Whether all packages of package-lock.json that this machine and the caller need are installed.
 */
function isInstalled() {
  return Object.entries(wanted).every(
    ([path, { version, optional, dev, os, cpu, libc }]) =>
      path === '' ||
      (optional && !fits({ os, cpu, libc })) ||
      (dev && !needsDevelopment) ||
      // The link to a package of this repository has no version.
      (path in present && present[path].version === version),
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

function install() {
  if (isOld) installOnOldNode();
  else npmCi(process.execPath, packageKinds());
}

/**
 * Installs the Node package first, and runs npm with it for the development packages: npm omits optional
 * packages that need a newer Node than the one that runs npm, such as the bundler of the test runner.
 */
function installOnOldNode() {
  if (!needsDevelopment || present[ownNode]?.version !== wanted[ownNode].version) {
    npmCi(process.execPath, needsDevelopment ? ['--omit=dev'] : packageKinds());
  }
  if (!needsDevelopment) return;
  // npm ci empties node_modules, so Node runs from a copy.
  const folder = mkdtempSync(join(tmpdir(), 'stave-node-'));
  cpSync(join(root, ownNode, 'bin', 'node'), join(folder, 'node'));
  npmCi(join(folder, 'node'), packageKinds());
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

/** Keeps an installation without development packages as it is, until they are needed. */
function packageKinds() {
  if (needsDevelopment) return ['--include=dev'];
  const hadNone = Object.keys(present).length > 0 && !Object.values(present).some(({ dev }) => dev);
  return hadNone ? ['--omit=dev'] : [];
}

/** Returns the packages by path. */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
}

function fail(reason) {
  console.error(`stave: ${reason}`);
  process.exit(1);
}
