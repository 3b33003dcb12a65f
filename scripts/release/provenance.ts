/** Describes how a release was built, as an in-toto statement in the form of SLSA 1.0 (https://slsa.dev/provenance/v1). */
import { basename, join } from 'node:path';
import { type Build, run, sha256Of } from './build.ts';
import { debianPackages } from './debian.ts';
import { lockedPackages } from './packages.ts';
import { purlOf, purlOfDebian, sha512Of } from './sbom.ts';

/**
 * Returns the statement. It names what decides the bytes of the files: the commit, the packages, and the programs of the
 * machine. It contains no time and no name of the machine, so that somebody else can build the same statement.
 */
export function provenanceOf(made: Build, files: readonly string[]): object {
  const { version, commit, source } = made;
  const lock = join(source, 'package-lock.json');
  // Of the packages of development, some are bundled.
  const shipped = new Set(made.packages.map(({ path }) => path));
  const packages = Object.entries(lockedPackages(source)).filter(
    ([path, one]) => one.integrity && (!one.dev || shipped.has(path)),
  );
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((path) => ({ name: basename(path), digest: { sha256: sha256Of(path) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:stave:npm-run-release:1',
        externalParameters: { commit, version },
        resolvedDependencies: [
          { name: 'stave', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: sha256Of(lock) } },
          ...packages.map(([path, { version, integrity }]) => ({
            uri: purlOf(path.slice(path.lastIndexOf('node_modules/') + 13), version),
            digest: { sha512: sha512Of(integrity!) },
          })),
          ...debianPackages().map((one) => ({
            uri: purlOfDebian(one),
            digest: { sha256: one.sha256 },
          })),
        ],
      },
      runDetails: {
        builder: {
          // Nobody vouches for the machine: the statement is not signed.
          id: 'urn:stave:unsigned',
          version: {
            node: process.version.slice(1),
            npm: run(source, 'npm', ['--version']).trim(),
            ...Object.fromEntries(
              ['git', 'tar', 'gzip', 'dpkg-deb'].map((name) => [
                name,
                versionOf(run(source, name, ['--version'])),
              ]),
            ),
          },
        },
      },
    },
  };
}

function versionOf(text: string): string {
  return /\d[\w.]+/.exec(text)![0];
}
