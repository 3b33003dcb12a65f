/**
 * `npm run release`: writes all files of a release of the commit that is checked out into dist/ (docs/releasing.md). Needs
 * Debian, or a Linux with its apt and dpkg-deb, GNU tar and gzip. With `--update-debian`, it only pins the newest packages of
 * Debian for the image.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchiveWithNode, writeNpmPackage } from './archives.ts';
import { build, ReleaseError, sha256Of } from './build.ts';
import { pinNewest } from './debian.ts';
import { writeImage } from './image.ts';
import { licenseTexts } from './licenses.ts';
import { provenanceOf } from './provenance.ts';
import { sbomOf } from './sbom.ts';

const checkout = join(import.meta.dirname, '..', '..');
const dist = join(checkout, 'dist');
// npm and git give files modes by it.
process.umask(0o022);
const work = mkdtempSync(join(tmpdir(), 'stave-release-'));
try {
  if (process.argv.includes('--update-debian')) updateDebian();
  else writeRelease();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(`stave: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true });
}

function writeRelease(): void {
  const made = build(checkout, work);
  const { source, root, version } = made;
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  const file = (name: string) => join(dist, name);

  write('THIRD-PARTY-LICENSES.txt', licenseTexts(made));
  copyFileSync(file('THIRD-PARTY-LICENSES.txt'), join(root, 'THIRD-PARTY-LICENSES.txt'));
  writeNpmPackage(made, file(`stave-${version}.tgz`));
  writeArchiveWithNode(made, 'x64', file(`stave-${version}-linux-x64.tar.gz`));
  writeArchiveWithNode(made, 'arm64', file(`stave-${version}-linux-arm64.tar.gz`));
  writeImage(made, join(work, 'image'), file(`stave-${version}-oci.tar`));
  copyFileSync(join(source, 'web/dist/stave-client.tgz'), file(`stave-client-${version}.tgz`));
  write(`stave-${version}.cdx.json`, sbomOf(made));
  write(`stave-${version}.provenance.json`, provenanceOf(made, written()));
  write(
    'SHA256SUMS',
    written()
      .map((path) => `${sha256Of(path)}  ${path.slice(dist.length + 1)}\n`)
      .join(''),
  );
  console.error(`stave: the files of release ${version} are in dist/`);

  function write(name: string, content: string | object): void {
    writeFileSync(
      file(name),
      typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`,
    );
  }

  function written(): string[] {
    return readdirSync(dist).sort().map(file);
  }
}

function updateDebian(): void {
  for (const { name, architecture, version } of pinNewest(work)) {
    console.log(`${name} ${version} (${architecture})`);
  }
}
