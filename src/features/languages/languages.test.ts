import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptedRanges,
  canonicalLanguage,
  isLanguageTag,
  Languages,
  languageChain,
  shownText,
} from './languages.ts';

const languages = new Languages('en', ['de', 'de-CH', 'fr', 'zh-Hant', 'zh', 'i-klingon', 'pt-BR']);

/** The headers and their languages. */
const HEADERS: readonly (readonly [header: string, language: string])[] = [
  ['de', 'de'],
  ['DE', 'de'],
  ['de-CH', 'de-CH'],
  ['de-ch', 'de-CH'],
  ['de-CH-1996', 'de-CH'],
  ['de-AT', 'de'],
  ['de-x-private', 'de'],
  ['fr, de', 'fr'],
  ['fr;q=0.5, de', 'de'],
  ['fr;q=0.5, de;q=0.8', 'de'],
  ['fr;q=0.8, de;q=0.8', 'fr'],
  ['da, en-gb;q=0.8, en;q=0.7', 'en'],
  ['da, de;q=0.1', 'de'],
  ['*', 'en'],
  ['*, fr', 'fr'],
  ['*;q=0.9, fr;q=0.1', 'fr'],
  ['de;q=0', 'en'],
  ['de;q=0, de-CH', 'de-CH'],
  ['de;q=0.000, fr;q=0.001', 'fr'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-Hans-CN', 'zh'],
  ['i-klingon', 'i-klingon'],
  ['pt', 'en'],
  ['pt-PT', 'en'],
  ['pt-br', 'pt-BR'],
  ['de_CH', 'en'],
  ['de_CH, fr', 'fr'],
  ['de;q=1.5, fr;q=0.1', 'fr'],
  ['de;q=0.1234, fr;q=0.1', 'fr'],
  ['de; q=0.5 , fr ;q=0.6', 'fr'],
  ['', 'en'],
  [',,;;q=,=, \u00fc, 日本', 'en'],
  [`${'xx,'.repeat(49)}de`, 'de'],
  [`${'xx,'.repeat(50)}de`, 'en'],
];

describe('a choice by Accept-Language', () => {
  it.each(HEADERS)('%j is %s', (header, language) => {
    expect(languages.forHeader(header).contentLanguage).toBe(language);
  });

  it('is the original without a header', () => {
    expect(languages.forHeader(undefined).language).toBeUndefined();
  });

  it('distinguishes the original from its language', () => {
    expect(languages.forHeader('en').language).not.toBe(languages.forHeader('xx').language);
  });
});

/** Looks languages up as RFC 4647 §3.4 says, in the plainest way. */
function plainLookup(header: string, available: readonly string[]): string | undefined {
  const parsed = header
    .split(',')
    .slice(0, 50)
    .flatMap((element, order) => {
      const [, range, weight = '1'] =
        /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(
          element,
        ) ?? [];
      return range === undefined || Number(weight) === 0 || Number(weight) > 1
        ? []
        : [{ range, weight: Number(weight), order }];
    });
  parsed.sort((a, b) => b.weight - a.weight || a.order - b.order);
  for (const { range } of parsed) {
    let rest = range;
    while (rest !== '') {
      rest = canonicalLanguage(rest).toLowerCase();
      const found = available.find((language) => language.toLowerCase() === rest);
      if (found !== undefined) return found;
      rest = rest.includes('-') ? rest.slice(0, rest.lastIndexOf('-')) : '';
      if (/(^|-)[a-z0-9]$/.test(rest)) rest = rest.slice(0, Math.max(0, rest.length - 2));
    }
  }
  return undefined;
}

const TAGS = [
  'de',
  'de-CH',
  'de-CH-1996',
  'de-a-bb-cc',
  'zh-Hant-TW',
  'zh',
  'i-klingon',
  'x-foo',
  'fr',
  'sgn-BE-FR',
  'sgn-BE',
  'he',
];
const someTags = fc.subarray(TAGS);
const someHeader = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...TAGS,
        'DE-ch',
        'de-a',
        'fr-Latn-CA-x-y',
        'iw-IL-x',
        'de-CH-1996-1996',
        '*',
        'a b',
        '',
      ),
      fc.constantFrom('', ';q=0', ';q=0.5', ';q=0.51', '; q=1', ';q=1.000', ';q=2', ';x=1'),
    ),
    { maxLength: 8 },
  )
  .map((list) => list.map(([range, weight]) => `${range}${weight}`).join(', '));

it('finds what a plain lookup finds', () => {
  fc.assert(
    fc.property(someTags, someHeader, (tags, header) => {
      const available = tags.map(canonicalLanguage);
      expect(new Languages('en', available).forHeader(header).language).toBe(
        plainLookup(header, ['en', ...available]),
      );
    }),
  );
});

it('accepts any header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (header) => {
      expect(languages.forHeader(header).contentLanguage).toMatch(/^[a-z]/i);
    }),
  );
});

it('tries equal weights in the order sent', () => {
  expect(acceptedRanges('c;q=0.5, a, b;q=1.0, d;q=0.50')).toEqual(['a', 'b', 'c', 'd']);
});

it('shortens a tag from the right', () => {
  expect(languageChain('zh-Hant-CN-x-private1-private2')).toEqual([
    'zh-Hant-CN-x-private1-private2',
    'zh-Hant-CN-x-private1',
    'zh-Hant-CN',
    'zh-Hant',
    'zh',
  ]);
  expect(languageChain('i-klingon')).toEqual(['i-klingon']);
});

it.each([
  // Variants that are repeated, unknown extensions and irregular tags, which Intl does not accept.
  ['de-ch-1996-1996', ['de-ch-1996-1996', 'de-CH-1996', 'de-CH', 'de']],
  ['sgn-be-fr', ['sgn-be-fr', 'sgn-BE', 'sgn']],
  ['iw-il-x', ['iw-il-x', 'he-IL', 'he']],
  ['sh-a', ['sh-a', 'sr-Latn', 'sr']],
])('shortens %s to canonical tags', (tag, chain) => {
  expect(languageChain(tag)).toEqual(chain);
});

it('shows the texts of shorter forms of a tag that Intl does not accept', () => {
  const view = new Languages('en', ['de-ch-1996-1996', 'de-CH']).forTag('DE-CH-1996-1996');
  expect(view.language).toBe('de-ch-1996-1996');
  const texts: Record<string, string> = { 'de-CH': 'Nächtli' };
  const original = { text: 'Night', language: 'en' };
  expect(shownText(view, (language) => texts[language], original).text).toBe('Nächtli');
});

it.each([
  ...[
    'de',
    'de-CH-1996',
    'zh-Hant-TW',
    'x-foo',
    'i-klingon',
    'sgn-be-fr',
    'es-419',
    'sl-rozaj-biske',
  ],
  ...['en-US-u-islamcal', 'de-Latn-DE-1996-x-a-b', 'EN-gb-OED', 'abcde'],
])('%s is a language tag', (tag) => {
  expect(isLanguageTag(tag)).toBe(true);
});

it.each([
  ...[
    '',
    '*',
    'd',
    'xx_YY',
    'de-',
    '-de',
    'de--CH',
    'de CH',
    'i-foo',
    'x',
    'de-x',
    'de-a',
    'abcdefghi',
  ],
  ...['dé', 'de\n', `de${'-x'}${'-abcdefgh'.repeat(10)}`],
])('%j is no language tag', (tag) => {
  expect(isLanguageTag(tag)).toBe(false);
});

it('shows the text of the nearest language', () => {
  const view = new Languages('en', ['de', 'de-CH']).forTag('de-CH');
  const original = { text: 'Night', language: 'en' };
  const shown = (texts: Record<string, string>, from = original) =>
    shownText(view, (language) => texts[language], from);
  expect(shown({ de: 'Nacht', 'de-CH': 'Nächtli' })).toEqual({
    text: 'Nächtli',
    language: 'de-CH',
  });
  expect(shown({ de: 'Nacht' })).toEqual({ text: 'Nacht', language: 'de' });
  expect(shown({ fr: 'Nuit' })).toEqual(original);
  const swiss = { text: 'Nacht', language: 'de-CH' };
  expect(shown({ de: 'Die Nacht' }, swiss)).toEqual(swiss);
});
