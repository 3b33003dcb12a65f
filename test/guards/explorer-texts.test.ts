import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGE_LANGUAGES } from '../../src/docs-site/pages/page-languages.ts';
import { ROOT } from './source.ts';

/** The pages with texts in all languages: their texts, the sources beside them, and how these name a text. */
const PAGES = [
  ['the explorer', 'web/explorer/texts', /\.tsx?$/, `['".]KEY\\b`],
  ['the page of links', 'web/shared/texts', /\.tsx?$|\.html$/, `['".{]KEY\\b`],
  ['the page of sign-in links', 'src/docs-site/pages/texts', /sign-in-page\.ts$/, `'KEY'`],
] as const;

const textsIn = (folder: string, language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(ROOT, folder, `${language}.json`), 'utf8'));

describe.each(PAGES)('the texts of %s', (_, folder, kinds, use) => {
  const english = textsIn(folder, 'en');

  it.each(PAGE_LANGUAGES.filter((language) => language !== 'en'))(
    'in %s are those in English, with the same values and forms',
    (language) => {
      const texts = textsIn(folder, language);
      expect(Object.keys(texts)).toEqual(Object.keys(english));
      const valuesOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
      for (const [key, text] of Object.entries(texts)) {
        expect([key, valuesOf(text)]).toEqual([key, valuesOf(english[key]!)]);
        expect([key, text.trim()]).not.toEqual([key, '']);
        if (english[key]!.includes(' | '))
          expect([key, text.split(' | ').length]).toEqual([key, 2]);
      }
    },
  );

  it('are all shown', () => {
    const source = join(ROOT, folder, '..');
    const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => kinds.test(path) && !path.endsWith('.test.ts'))
      .map((path) => readFileSync(join(source, path), 'utf8'))
      .join('\n');
    const isUnused = (key: string) => !new RegExp(use.replace('KEY', key)).test(code);
    expect(Object.keys(english).filter(isUnused)).toEqual([]);
  });
});
