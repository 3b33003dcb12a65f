/**
 * `npm run release`: writes all files of a release of the commit that is checked out into dist/ (docs/releasing.md). Needs
 * Linux with GNU tar and gzip.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchiveWithNode, writeNpmPackage } from './archives.ts';
import { build, ReleaseError } from './build.ts';

const checkout = join(import.meta.dirname, '..', '..');
const dist = join(checkout, 'dist');
const work = mkdtempSync(join(tmpdir(), 'stave-release-'));
try {
  const made = build(checkout, work);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  const name = join(dist, `stave-${made.version}`);
  writeNpmPackage(made, `${name}.tgz`);
  writeArchiveWithNode(made, 'x64', `${name}-linux-x64.tar.gz`);
  writeArchiveWithNode(made, 'arm64', `${name}-linux-arm64.tar.gz`);
  copyFileSync(
    join(made.source, 'web/dist/stave-client.tgz'),
    join(dist, `stave-client-${made.version}.tgz`),
  );
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(`stave: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true });
}
