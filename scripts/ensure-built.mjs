// Builds, on any Node from 18:
//   the explorer (web/), the picker (packages/picker) and the archive of the client library (packages/sdk) into web/dist, and
//   the packages of bin/bundles.mjs, each of which has hundreds of modules, into one file each.
// Before `npm start` and the tests: what is missing or older than its sources. If something cannot be built, it prints
// one line and succeeds, because Stave also runs without it.
// With --always, as `npm run build`: everything; a failure is a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLES, hasBundles } from '../bin/bundles.mjs';

const root = join(fileURLToPath(import.meta.url), '..', '..');
const dist = join(root, 'web/dist');
const hasBundler = existsSync(join(root, 'node_modules/rolldown'));
const isAsked = process.argv.includes('--always');
/** The archive that the service offers to partners, because the library is not on a public registry. */
const ARCHIVE = 'stave-client.tgz';
const isBuilt = existsSync(join(dist, 'index.html'));

if (isAsked) {
  const output = build() ?? bundle();
  if (output !== undefined) fail(output, 1);
  else console.error('stave: the explorer and the client library are in web/dist');
} else if (!isBuilt || isOlder()) {
  const state = isBuilt ? 'older than its sources' : 'not built';
  if (!hasBundler) {
    fail(`the explorer is ${state}; \`npm run build\` installs what it needs and builds it`, 0);
  } else {
    console.error('stave: building the explorer …');
    const output = build();
    if (output !== undefined) fail(`${output}; run \`npm run build\``, 0);
  }
} else if (hasBundler && !existsSync(join(dist, ARCHIVE))) {
  const output = packClient(dist);
  if (output !== undefined) fail(`${output}; run \`npm run build\``, 0);
}
if (!isAsked && hasBundler) {
  const output = bundle();
  if (output !== undefined) fail(`${output}; run \`npm run build\``, 0);
}

/** Builds beside web/dist and then replaces it, so that nobody reads half of a build. Returns what failed, if anything. */
function build() {
  const made = join(root, `web/dist-${process.pid}`);
  try {
    const failed = run('web/build.ts', made);
    if (failed !== undefined) return `the explorer could not be built${failed}`;
    // The explorer is of use without the archive.
    const failure = packClient(made);
    rmSync(dist, { recursive: true, force: true });
    renameSync(made, dist);
    return failure;
  } catch (failure) {
    return `web/dist could not be replaced: ${failure.message}`;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Returns why it failed, if it did. */
function bundle() {
  if (hasBundles() && !isAsked) return undefined;
  rmSync(BUNDLES, { recursive: true, force: true });
  const failed = run('scripts/bundle-packages.mjs');
  return failed === undefined ? undefined : `the packages could not be bundled${failed}`;
}

/** Runs a script. Returns the end of a sentence if it failed. */
function run(script, ...args) {
  const { status, error } = spawnSync(
    join(root, 'scripts/with-node'),
    ['node', join(root, script), ...args],
    { cwd: root, stdio: ['ignore', 2, isAsked ? 2 : 'ignore'] },
  );
  if (status === 0) return undefined;
  return error ? `: ${error.message}` : '';
}

/** Packs the client library into a folder, as for a release. Returns why it failed. */
function packClient(folder) {
  const { status, stderr } = spawnSync(
    join(root, 'scripts/with-node'),
    ['npm', 'pack', '--pack-destination', folder],
    { cwd: join(root, 'packages/sdk'), encoding: 'utf8' },
  );
  if (status !== 0) return `the client library could not be packed: ${stderr?.trim()}`;
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  renameSync(join(folder, packed), join(folder, ARCHIVE));
  return undefined;
}

/** Whether a source, or a folder of them, has changed since the build. */
function isOlder() {
  const builtMs = statSync(join(dist, 'index.html')).mtimeMs;
  const sources = [
    ...['explorer', 'shared', 'build.ts', 'tsconfig.json'].map((name) => join(root, 'web', name)),
    ...['src', 'README.md', 'package.json', 'build.ts'].map((name) =>
      join(root, 'packages/sdk', name),
    ),
    join(root, 'packages/picker/src'),
    join(root, 'package-lock.json'),
  ];
  return sources.some((path) => newestMs(path) > builtMs);
}

function newestMs(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

function fail(reason, status) {
  console.error(`stave: ${reason}`);
  process.exitCode = status;
}
