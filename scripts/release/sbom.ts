/** Lists the packages of a release in the form of CycloneDX 1.6. */
import { createHash } from 'node:crypto';
import type { Build } from './build.ts';
import { type DebianPackage, debianPackages } from './debian.ts';
import { IN_FILE, type Package } from './packages.ts';

/**
 * Returns the list, which is equal for equal packages. `npm sbom` writes version 1.5 of the form, with a random serial
 * number and the time, and does not know what is part of the explorer.
 */
export function sbomOf({ version, commit, seconds, packages }: Build): object {
  const stave = {
    type: 'application',
    'bom-ref': `stave@${version}`,
    name: 'stave',
    version,
    licenses: [{ license: { id: 'Apache-2.0' } }],
    purl: `pkg:generic/stave@${version}`,
    properties: [{ name: 'stave:commit', value: commit }],
  };
  // A package may be installed in two folders.
  const byRef = Map.groupBy(packages, refOf);
  const isNeeded = new Set(packages.flatMap(({ needs }) => needs).map(refOf));
  const dependencies = [
    { ref: stave['bom-ref'], dependsOn: [...byRef.keys()].filter((ref) => !isNeeded.has(ref)) },
    ...Array.from(byRef, ([ref, all]) => ({
      ref,
      dependsOn: [...new Set(all.flatMap(({ needs }) => needs).map(refOf))].sort(),
    })),
  ];
  const components = [
    ...Array.from(byRef.values(), ([one]) => componentOf(one!)),
    ...debianPackages().map(componentOfDebian),
  ];
  const digest = createHash('sha256')
    .update(JSON.stringify([stave, components, dependencies]))
    .digest('hex');
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // The form of a UUID of version 8, whose contents an application defines.
    serialNumber: `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: stave,
    },
    components,
    dependencies,
  };
}

function refOf({ name, version }: Package): string {
  return `${name}@${version}`;
}

function componentOf(one: Package): object {
  const [name, group] = one.name.split('/').reverse() as [string, string?];
  return {
    type: 'library',
    'bom-ref': refOf(one),
    ...(group && { group }),
    name,
    version: one.version,
    ...(one.integrity && { hashes: [{ alg: 'SHA-512', content: sha512Of(one.integrity) }] }),
    licenses: [licenseOf(one.license)],
    purl: purlOf(one.name, one.version),
  };
}

function licenseOf(license: string): object {
  if (license === IN_FILE) return { license: { name: license } };
  return license.includes(' ') ? { expression: license } : { license: { id: license } };
}

/** A package of the image. Its license is a text of many, which the image contains. */
function componentOfDebian(one: DebianPackage): object {
  return {
    type: 'library',
    'bom-ref': purlOfDebian(one),
    name: one.name,
    version: one.version,
    hashes: [{ alg: 'SHA-256', content: one.sha256 }],
    licenses: [{ license: { name: `/usr/share/doc/${one.name}/copyright of the image` } }],
    purl: purlOfDebian(one),
  };
}

export function purlOfDebian({ name, version, architecture }: DebianPackage): string {
  return `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`;
}

/** Returns the address of a package of npm in the form of https://github.com/package-url/purl-spec. */
export function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Returns the digest of an `integrity` of package-lock.json in hexadecimal. */
export function sha512Of(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
}
