import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROOT } from './source.ts';

const DIST = join(ROOT, 'web/dist');

describe('the built explorer', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8');
  const assets = readdirSync(join(DIST, 'assets'));
  const gzippedBytes = (names: string[]) =>
    names
      .map((name) => gzipSync(readFileSync(join(DIST, 'assets', name))).length)
      .reduce((a, b) => a + b, 0);

  it('has less than 100 KB of scripts for the first view, and less than 20 KB of styles', () => {
    // All scripts count, because the first view may load any of them.
    expect(gzippedBytes(assets.filter((name) => name.endsWith('.js')))).toBeLessThan(100_000);
    expect(gzippedBytes(assets.filter((name) => name.endsWith('.css')))).toBeLessThan(20_000);
  });

  it('has no inline script or style, and names only files of its own', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    const named = [...page.matchAll(/(?:src|href)="(?!docs|favicon)([^"]+)"/g)].map(
      ([, one]) => one,
    );
    expect(named.sort()).toEqual(assets.map((name) => `./assets/${name}`).sort());
  });
});
