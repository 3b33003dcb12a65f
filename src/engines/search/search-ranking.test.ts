import { describe, expect, it } from 'vitest';
import type { IndexQuery } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { found, id, matches, track } from './search-rules.test-support.ts';

describe('ranking', () => {
  it('orders by the first rank that applies, before the release date', () => {
    const names = [
      'Knights of Moonlight',
      'Moonlit Nights',
      'Night Moonlit Walk',
      'Moon over a Night in June',
      'Night Moon over June',
      'Night Moon',
      // The ranks of typos do not apply, because the text matches without typos.
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

  it('ranks a name that begins with the whole word above one that begins with a part of a longer word', () => {
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

  it('orders ties by newest, then by id', () => {
    const index = builtOver([
      track(3, { name: 'Rain', releasedAt: 5 }),
      track(1, { name: 'rain', releasedAt: 5 }),
      track(2, { name: 'RAIN!', releasedAt: 7 }),
    ]);
    expect(matches(index, { text: 'rain' })).toEqual([2, 1, 3]);
  });

  it('compares the beginning of a name by characters, so that the text may end inside a word', () => {
    const names = ['Drive by Night', 'Night Driver', 'The Night Driver'];
    expect(found(names, 'night driv')).toEqual([
      'Night Driver',
      'Drive by Night',
      'The Night Driver',
    ]);
  });

  it('ranks names with one typo above those with two, in one word or in several', () => {
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

  it('counts a word as whole if the name contains it whole, even if another word begins with it', () => {
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
    ['a missing letter', 'moonlght'],
    ['an extra letter', 'mooonlight'],
    ['a wrong letter', 'moonlighd'],
    ['two swapped letters', 'monolight'],
    ['two typos in eight letters or more', 'monlighd'],
  ])('are tolerated: %s', (_what, text) => {
    expect(found(['Moonlight Sonata', 'Sunlight'], text)).toEqual(['Moonlight Sonata']);
  });

  it.each([
    ['one in three letters', 'Sun', 'sin'],
    ['two in seven letters', 'Evening', 'avenint'],
    ['three in eight letters', 'Moonlight', 'munlicht'],
  ])('are not tolerated: %s', (_what, name, text) => {
    expect(found([name], text)).toEqual([]);
  });

  it('are tolerated in each word, and only in comparison with whole words', () => {
    expect(found(['Night Drive'], 'nihgt drvie')).toEqual(['Night Drive']);
    expect(found(['Midnight'], 'nihgt')).toEqual([]);
  });

  it('do not affect words without a typo, which match as whole, incomplete or inner words', () => {
    expect(found(['Nihilist Sunrise'], 'nihilust rise')).toEqual(['Nihilist Sunrise']);
  });

  it('are counted in letters, not in UTF-16 units', () => {
    expect(found(['𠮷𠮷𠮷𠮷'], '𠮷𠮷𠮷𠮸')).toEqual(['𠮷𠮷𠮷𠮷']);
    expect(found(['𠮷𠮷'], '𠮷𠮸')).toEqual([]);
  });

  it('are tolerated only if the text alone, without the filters, matches nothing', async () => {
    const index = builtOver([
      track(1, { name: 'Nigth', type: 'sfx' }),
      track(2, { name: 'Night', type: 'music' }),
    ]);
    const query: IndexQuery = { text: 'nigth', type: 'music' };
    expect(matches(index, query)).toEqual([]);
    await index.apply([], [id(1)], 1);
    expect(matches(index, query)).toEqual([2]);
    // This also applies if only the newest change matches the text.
    await index.apply([track(3, { name: 'Nigth', type: 'sfx' })], [], 2);
    expect(matches(index, query)).toEqual([]);
  });
});
