import { describe, expect, it } from 'vitest';
import { builtOver } from '../engine.test-support.ts';
import { matches, track } from '../search-rules.test-support.ts';
import { articlesOf, compareNaturally } from './sort-names.ts';

/** The names in the order of `sort=name`, in one segment and in as many as there are names. */
async function sorted(names: readonly string[], language?: string): Promise<string[]> {
  const entries = names.map((name, i) => track(i, { name, releasedAt: -i }));
  const whole = builtOver(entries, { language });
  const found = matches(whole, {}, 'name').map((i) => names[i]!);
  const parts = builtOver(entries.slice(0, 1), { language });
  for (const [i, entry] of entries.entries()) {
    if (i > 0) await parts.apply([entry], [], i);
  }
  expect(matches(parts, {}, 'name').map((i) => names[i]!)).toEqual(found);
  expect(matches(whole, { text: 'track' }, 'name')).toEqual(
    matches(whole, {}, 'name').filter((i) => /track/i.test(names[i]!)),
  );
  return found;
}

describe('the order by name', () => {
  it('compares numbers by their value', async () => {
    const names = ['Track 10', 'Track 2', 'Track2b', 'Track10b', 'Track', '100', '20', 'Track 02'];
    expect(await sorted(names)).toEqual([
      ...['20', '100', 'Track', 'Track 02', 'Track 2', 'Track 10', 'Track2b', 'Track10b'],
    ]);
  });

  it.each<[string, string[]]>([
    ['en', ['A Bay', 'An Ear', 'The', 'The Rain', 'Le Ciel', 'Die Nacht', "L'été"]],
    ['de-CH', ['Der Bach', 'Das Ende', 'Die', 'Die Nacht', 'The Rain', 'Ein Zug']],
    ['fr', ['Le Ciel', "L'été", 'Les Îles', 'Le', 'The Rain', 'Une Voix']],
  ])('ignores the articles of the language %s', async (language, names) => {
    const order: Record<string, string[]> = {
      en: ['A Bay', 'Die Nacht', 'An Ear', 'Le Ciel', "L'été", 'The Rain', 'The'],
      'de-CH': ['Der Bach', 'Die', 'Das Ende', 'Die Nacht', 'The Rain', 'Ein Zug'],
      fr: ['Le Ciel', "L'été", 'Les Îles', 'Le', 'The Rain', 'Une Voix'],
    };
    expect(await sorted(names, language)).toEqual(order[language]);
  });

  it('keeps articles where the language has none or is unknown, and names without words last', async () => {
    expect(await sorted(['The Rain', 'Snow', '…'], 'ja')).toEqual(['Snow', 'The Rain', '…']);
    expect(await sorted(['The Rain', 'Snow', '…'], 'en')).toEqual(['The Rain', 'Snow', '…']);
    expect([articlesOf(undefined), articlesOf('__proto__')]).toEqual([[], []]);
  });

  it('keeps ties newest first', () => {
    const entries = [
      track(1, { name: 'Rain', releasedAt: 1 }),
      track(2, { name: 'The Rain', releasedAt: 2 }),
    ];
    expect(matches(builtOver(entries, { language: 'en' }), {}, 'name')).toEqual([2, 1]);
  });
});

it('compares words naturally, and long numbers exactly', () => {
  const words = [
    'a10',
    'a9',
    'a',
    'a09',
    'b',
    '99999999999999999998',
    '99999999999999999997',
    '1a',
  ];
  expect(words.toSorted(compareNaturally)).toEqual([
    ...['1a', '99999999999999999997', '99999999999999999998', 'a', 'a09', 'a9', 'a10', 'b'],
  ]);
});
