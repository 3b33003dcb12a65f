import { describe, expect, it } from 'vitest';
import type { IndexQuery } from '../catalog/catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { found, id, matches, track } from './search-rules.test-support.ts';

describe('ranking', () => {
  it('puts the first rank that holds first, though the names get older', () => {
    const names = [
      'Knights of Moonlight',
      'Moonlit Nights',
      'Night Moonlit Walk',
      'Moon over a Night in June',
      'Night Moon over June',
      'Night Moon',
      // The ranks of typos have no place here: the text matches something.
      'Nigt Moon',
    ];
    expect(found(names, 'night moon')).toEqual([
      'Night Moon',
      'Night Moon over June',
      'Moon over a Night in June',
      'Night Moonlit Walk',
      'Moonlit Nights',
      'Knights of Moonlight',
    ]);
    expect(found(['Moonlit Night', 'Knight Moons', 'Moons, Nights'], 'night moon')).toEqual([
      'Moonlit Night',
      'Moons, Nights',
      'Knight Moons',
    ]);
  });

  it('puts a name that begins with the whole word before one that begins with a part of a longer one', () => {
    expect(found(['Eternal Flame', 'Été indien', 'Un été'], 'été')).toEqual([
      'Été indien',
      'Un été',
      'Eternal Flame',
    ]);
    expect(found(['Eternal Flame', 'Éternité', 'Et maintenant'], 'et')).toEqual([
      'Et maintenant',
      'Eternal Flame',
      'Éternité',
    ]);
    expect(found(['Theme', 'Themes of Them', 'Kill Them', 'Them Bones'], 'them')).toEqual([
      'Them Bones',
      'Themes of Them',
      'Kill Them',
      'Theme',
    ]);
  });

  it('breaks ties by the newest, then by id', () => {
    const index = builtOver([
      track(3, { name: 'Rain', releasedAt: 5 }),
      track(1, { name: 'rain', releasedAt: 5 }),
      track(2, { name: 'RAIN!', releasedAt: 7 }),
    ]);
    expect(matches(index, { text: 'rain' })).toEqual([2, 1, 3]);
  });

  it('compares the start of a name by characters, so that it may end within a word', () => {
    const names = ['Drive by Night', 'Night Driver', 'The Night Driver'];
    expect(found(names, 'night driv')).toEqual([
      'Night Driver',
      'Drive by Night',
      'The Night Driver',
    ]);
  });

  it('puts names with one typo before those with two, in one word or over several', () => {
    expect(found(['Monlight', 'Moonlight', 'Moonlghd'], 'moonlighd')).toEqual([
      'Moonlight',
      'Moonlghd',
      'Monlight',
    ]);
    expect(found(['Silent Night', 'Silnt Night', 'Silent Nihgt'], 'silnt nihgt')).toEqual([
      'Silnt Night',
      'Silent Nihgt',
      'Silent Night',
    ]);
  });

  it('knows a word as whole where it stands whole, though it begins another there too', () => {
    expect(found(['Nights, Nightly', 'Nights, a Night', 'In the Night'], 'night')).toEqual([
      'Nights, a Night',
      'In the Night',
      'Nights, Nightly',
    ]);
    expect(found(['Nightly', 'A Nightly Night', 'In Nights'], 'night')).toEqual([
      'A Nightly Night',
      'Nightly',
      'In Nights',
    ]);
  });
});

describe('typos', () => {
  it.each([
    ['a letter too few', 'moonlght'],
    ['a letter too many', 'mooonlight'],
    ['another letter', 'moonlighd'],
    ['two swapped', 'monolight'],
    ['two typos in eight letters or more', 'monlighd'],
  ])('are forgiven: %s', (_what, text) => {
    expect(found(['Moonlight Sonata', 'Sunlight'], text)).toEqual(['Moonlight Sonata']);
  });

  it.each([
    ['one in three letters', 'Sun', 'sin'],
    ['two in seven letters', 'Evening', 'avenint'],
    ['three in eight letters', 'Moonlight', 'munlicht'],
  ])('are not forgiven: %s', (_what, name, text) => {
    expect(found([name], text)).toEqual([]);
  });

  it('are forgiven in each word, and only against whole words', () => {
    expect(found(['Night Drive'], 'nihgt drvie')).toEqual(['Night Drive']);
    expect(found(['Midnight'], 'nihgt')).toEqual([]);
  });

  it('leave words without a typo as they are: whole, unfinished or inside', () => {
    expect(found(['Nihilist Sunrise'], 'nihilust rise')).toEqual(['Nihilist Sunrise']);
  });

  it('count letters, not UTF-16 units', () => {
    expect(found(['𠮷𠮷𠮷𠮷'], '𠮷𠮷𠮷𠮸')).toEqual(['𠮷𠮷𠮷𠮷']);
    expect(found(['𠮷𠮷'], '𠮷𠮸')).toEqual([]);
  });

  it('are forgiven only where the text alone matches nothing, filters left aside', async () => {
    const index = builtOver([
      track(1, { name: 'Nigth', type: 'sfx' }),
      track(2, { name: 'Night', type: 'music' }),
    ]);
    const query: IndexQuery = { text: 'nigth', type: 'music' };
    expect(matches(index, query)).toEqual([]);
    await index.apply([], [id(1)], 1);
    expect(matches(index, query)).toEqual([2]);
    // Also where only the newest change matches it.
    await index.apply([track(3, { name: 'Nigth', type: 'sfx' })], [], 2);
    expect(matches(index, query)).toEqual([]);
  });
});
