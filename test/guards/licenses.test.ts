import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './source.ts';

/** Licenses that ask for nothing but their text and notices. OFL-1.1 is for fonts. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Unlicense',
]);

/** Packages that name their license in a file only. */
const IN_FILES: Readonly<Record<string, string>> = { 'png-js': 'MIT' };

interface Locked {
  license?: string;
  link?: boolean;
}

const locked: Record<string, Locked> = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
).packages;
const notice = readFileSync(join(ROOT, 'NOTICE'), 'utf8');
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');
const fetched = Object.entries(locked).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

/** Whether one of the licenses that an expression offers is permissive. */
function isPermissive(expression: string): boolean {
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((license) => PERMISSIVE.has(license.trim())));
}

describe('the licenses of packages', () => {
  it('are permissive, or NOTICE names the package and its license', () => {
    const others = fetched
      .map(([path, { license }]) => [nameOf(path), license ?? IN_FILES[nameOf(path)] ?? 'none'])
      .filter(([name, license]) => !isPermissive(license!) && !isNoticed(name!, license!));
    expect(others).toEqual([]);
  });

  it('are those that the installed packages name', () => {
    const installed = fetched
      .map(([path]) => [path, join(ROOT, path, 'package.json')] as const)
      .filter(([, file]) => existsSync(file));
    expect(installed.length).toBeGreaterThan(200);
    const different = installed
      .map(([path, file]) => [path, JSON.parse(readFileSync(file, 'utf8')).license] as const)
      .filter(([path, license]) => license !== locked[path]!.license);
    expect(different).toEqual([]);
  });

  it('are refused if they are unknown', () => {
    expect(['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC'].map(isPermissive)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['GPL-3.0', 'MIT AND GPL-3.0', 'none', ''].map(isPermissive)).not.toContain(true);
    expect(isNoticed('codec-parser', 'LGPL-3.0-or-later')).toBe(true);
    expect(isNoticed('codec-parser', 'GPL-3.0')).toBe(false);
  });
});

/** Whether a paragraph of NOTICE names a package, or the one of which it is the part for a system, and the license. */
function isNoticed(name: string, license: string): boolean {
  const family = name.replace(/-(?:android|darwin|freebsd|linux|win32)-.*$/, '');
  return notice.split('\n\n').some((part) => hasWord(part, family) && hasWord(part, license));
}

function hasWord(text: string, word: string): boolean {
  return text.split(/[.,;:)]?(?:\s|$)\(?/).includes(word);
}
