import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PAGE_LANGUAGES } from '../../src/docs-site/pages/page-languages.ts';
import { ROOT } from './source.ts';

const DIST = join(ROOT, 'web/dist');

it('the built picker has at most 40 KB with gzip, and loads nothing else', () => {
  const script = readFileSync(join(DIST, 'picker.js'));
  expect(gzipSync(script).length).toBeLessThanOrEqual(40 * 1024);
  // Pages with a strict policy may load it: no other script, no text that becomes code or HTML.
  expect(script.toString()).not.toMatch(
    /\bimport\s*[("'{*]|\bfrom\s*["']|\beval\(|new Function|innerHTML|insertAdjacentHTML/,
  );
});

/** The scripts and styles of a page: its own, or all but those of the page of links. */
const assetsOf = (page: 'index' | 'shared') =>
  readdirSync(join(DIST, 'assets')).filter(
    (name) => name.startsWith('shared-') === (page === 'shared'),
  );

describe('the built page of links to collections', () => {
  const sizeOf = (name: string) => gzipSync(readFileSync(join(DIST, 'assets', name))).length;

  it.each(PAGE_LANGUAGES)(
    'has in %s one script of less than 25 KB, one of less than 3 KB with its texts, one style sheet of less than 5 KB, and nothing inline',
    (language) => {
      const page = readFileSync(join(DIST, `shared.${language}.html`), 'utf8');
      expect(page).toContain(`<html lang="${language}" dir="ltr">`);
      expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|\{\w+\}/);
      const named = [...page.matchAll(/(?:src|href)="\.\.\/assets\/([^"]+)"/g)].map(
        ([, one]) => one!,
      );
      const [styles, script, ...texts] = named as [string, string, ...string[]];
      expect(styles).toMatch(/\.css$/);
      expect(sizeOf(styles)).toBeLessThan(5_000);
      expect(sizeOf(script)).toBeLessThan(25_000);
      // English is in the script.
      expect(texts).toHaveLength(language === 'en' ? 0 : 1);
      for (const one of texts) {
        expect(one).toMatch(new RegExp(`^shared-${language}-.*\\.js$`));
        expect(sizeOf(one)).toBeLessThan(3_000);
      }
      const others = PAGE_LANGUAGES.length - 1;
      expect(assetsOf('shared')).toHaveLength(2 + others);
    },
  );
});

describe('the built explorer', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8');
  const assets = assetsOf('index');
  const gzippedBytes = (names: string[]) =>
    names
      .map((name) => gzipSync(readFileSync(join(DIST, 'assets', name))).length)
      .reduce((a, b) => a + b, 0);

  const scripts = assets.filter((name) => name.endsWith('.js'));
  /** The scripts that a script imports: at once, or when it needs them. */
  const importedBy = (name: string, how: RegExp) =>
    [...readFileSync(join(DIST, 'assets', name), 'utf8').matchAll(how)].map(([, one]) => one!);

  it('has at most 60 KB of scripts for the first view, 100 KB of all, and 20 KB of styles', () => {
    const first = scripts.filter((name) => page.includes(`./assets/${name}`));
    expect(first.length).toBe(1);
    // What it imports at once is a part of the first view.
    for (const name of first) {
      for (const one of importedBy(name, /from\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
        if (!first.includes(one)) first.push(one);
      }
    }
    expect(gzippedBytes(first)).toBeLessThanOrEqual(60_000);
    expect(gzippedBytes(scripts)).toBeLessThan(100_000);
    expect(gzippedBytes(assets.filter((name) => name.endsWith('.css')))).toBeLessThan(20_000);
  });

  it('has no inline script or style, and names only files of its own, and all of them', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    const named = [...page.matchAll(/(?:src|href)="(?!docs|favicon)([^"]+)"/g)].map(
      ([, one]) => one,
    );
    const loaded = scripts.flatMap((name) =>
      importedBy(name, /["'`](\.\/[\w.-]+\.js)["'`]/g).map((one) => one.replace('./', './assets/')),
    );
    expect([...new Set([...named, ...loaded])].sort()).toEqual(
      assets.map((name) => `./assets/${name}`).sort(),
    );
  });
});
