import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './source.ts';

const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The messages that a page quotes: texts of at least four words in backticks, up to their first variable part. */
function quotedMessages(markdown: string): string[] {
  const prose = markdown.replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/`([A-Za-z][a-z]*(?:\s[a-z0-9:,…]+){3,})`/g)]
    .map(([, text]) =>
      text!
        .replace(/\s+/g, ' ')
        .replace(/[…\d].*$/, '')
        .trim(),
    )
    .filter((text) => !text.startsWith('bin/') && !text.startsWith('recovery stopping'));
}

describe('docs/operations.md', () => {
  it('quotes only messages that the program writes', () => {
    const code = sourceFiles('src')
      .map(({ text }) => text.replace(/'\s*\+\s*'/g, ''))
      .join('\n');
    const quoted = quotedMessages(page('docs/operations.md'));
    expect(quoted.length).toBeGreaterThan(5);
    expect(quoted.filter((message) => !code.includes(message))).toEqual([]);
  });
});

describe('docs/verification.md', () => {
  it('names only tests that exist', () => {
    const named = [
      ...page('docs/verification.md').matchAll(/`((?:\.ci|bench|src|test)\/[^`\s]*)`/g),
    ].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
