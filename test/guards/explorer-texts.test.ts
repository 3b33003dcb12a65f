import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import de from '../../web/explorer/texts/de.json' with { type: 'json' };
import en from '../../web/explorer/texts/en.json' with { type: 'json' };
import es from '../../web/explorer/texts/es.json' with { type: 'json' };
import fr from '../../web/explorer/texts/fr.json' with { type: 'json' };
import { ROOT } from './source.ts';

const EXPLORER = join(ROOT, 'web/explorer');

it.each(Object.entries({ de, fr, es }))(
  'the texts in %s are those in English, with the same values and forms',
  (_, texts) => {
    expect(Object.keys(texts)).toEqual(Object.keys(en));
    const valuesOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
    for (const [key, text] of Object.entries(texts)) {
      const english = en[key as keyof typeof en];
      expect([key, valuesOf(text)]).toEqual([key, valuesOf(english)]);
      expect([key, text.trim()]).not.toEqual([key, '']);
      if (english.includes(' | ')) expect([key, text.split(' | ').length]).toEqual([key, 2]);
    }
  },
);

it('has no text that the page does not show', () => {
  const sources = readdirSync(EXPLORER, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(EXPLORER, path), 'utf8'))
    .join('\n');
  const unused = Object.keys(en).filter((key) => !new RegExp(`['".]${key}\\b`).test(sources));
  expect(unused).toEqual([]);
});
