import { describe, expect, it } from 'vitest';
import type { CatalogIndex, IndexEntry, IndexQuery } from '../catalog/catalog-index.ts';
import { buildIndex } from './build-index.ts';

/** An index over tracks of these names, the first one the newest. */
async function indexOf(...names: string[]): Promise<CatalogIndex> {
  return indexOver(names.map((name, i) => track({ name, id: id(i), releasedAt: -i })));
}

async function indexOver(entries: IndexEntry[]): Promise<CatalogIndex> {
  return buildIndex(
    (async function* () {
      yield entries;
    })(),
  );
}

function id(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
}

function track(values: Partial<IndexEntry>): IndexEntry {
  return {
    id: id(0),
    name: 'Untitled',
    type: 'music',
    hasVocals: false,
    releasedAt: 0,
    filterIds: [],
    isrc: '',
    ...values,
  };
}

/** What the text finds, by name, best first. */
async function found(names: string[], text: string): Promise<string[]> {
  const { ids } = (await indexOf(...names)).search({ text }, 0, 100);
  return ids.map((one) => names[Number(one.slice(-12))]!);
}

describe('ranking', () => {
  it('puts the first rank that holds first, though the names get older', async () => {
    const names = [
      'Knights of Moonlight',
      'Midnights and Moons',
      'Moon over a Night in June',
      'Night Moonlit Walk',
      'Night Moon',
      // Rank 6 has no place here: the text matches something.
      'Nigt Moon',
    ];
    expect(await found(names, 'night moon')).toEqual([
      'Night Moon',
      'Night Moonlit Walk',
      'Moon over a Night in June',
      'Knights of Moonlight',
      'Midnights and Moons',
    ]);
    expect(await found(['Moonlit Night', 'Knight Moons', 'Moons, Nights'], 'night moon')).toEqual([
      'Moonlit Night',
      'Moons, Nights',
      'Knight Moons',
    ]);
  });

  it('breaks ties by the newest, then by id', async () => {
    const index = await indexOver([
      track({ id: id(3), name: 'Rain', releasedAt: 5 }),
      track({ id: id(1), name: 'rain', releasedAt: 5 }),
      track({ id: id(2), name: 'RAIN!', releasedAt: 7 }),
    ]);
    expect(index.search({ text: 'rain' }, 0, 10).ids).toEqual([id(2), id(1), id(3)]);
  });

  it('compares the start of a name by characters, so that it may end within a word', async () => {
    const names = ['Drive by Night', 'Night Driver', 'The Night Driver'];
    expect(await found(names, 'night driv')).toEqual([
      'Night Driver',
      'Drive by Night',
      'The Night Driver',
    ]);
  });

  it('knows a word as whole where it stands whole, though it begins another there too', async () => {
    expect(await found(['Nights, a Night', 'Nights, Nightly', 'In the Night'], 'night')).toEqual([
      'Nights, a Night',
      'Nights, Nightly',
      'In the Night',
    ]);
    expect(await found(['A Nightly Night', 'Nightly', 'In Nights'], 'night')).toEqual([
      'Nightly',
      'A Nightly Night',
      'In Nights',
    ]);
  });
});

describe('words', () => {
  it('all have to match, in whatever order', async () => {
    const names = ['Blue Moon Rising', 'Blue Sun', 'Rising Blue Tide'];
    expect(await found(names, 'rising blue')).toEqual(['Rising Blue Tide', 'Blue Moon Rising']);
    expect(await found(names, 'rising green')).toEqual([]);
  });

  it('may be unfinished at the end, with or without a space after them', async () => {
    expect(await found(['Sunset Boulevard'], 'sunset bou')).toEqual(['Sunset Boulevard']);
    expect(await found(['Sunset Boulevard'], 'sunset bou ')).toEqual(['Sunset Boulevard']);
  });

  it('match inside longer ones, ranked lower', async () => {
    expect(await found(['Sunrise', 'The Rise'], 'rise')).toEqual(['The Rise', 'Sunrise']);
  });

  it('may be repeated, and one word of a name may serve for two of the text', async () => {
    expect(await found(['Night'], 'night night')).toEqual(['Night']);
    expect(await found(['Night'], 'night nig')).toEqual(['Night']);
    expect(await found(['Night Night', 'Night, oh Night'], 'night night')).toEqual([
      'Night Night',
      'Night, oh Night',
    ]);
  });

  it('may be one letter', async () => {
    expect(await found(['Banana', 'Plan A', 'A Plan', 'A'], 'a')).toEqual([
      'A',
      'A Plan',
      'Plan A',
      'Banana',
    ]);
  });

  it('do not mind case, accents, punctuation and Unicode form', async () => {
    for (const text of ['beyonce', 'BEYONCÉ', 'Beyonce\u0301', 'ｂｅｙｏｎｃｅ', 'beyoncé!']) {
      expect(await found(['Beyoncé'], text)).toEqual(['Beyoncé']);
    }
    expect(await found(['rose_bark.wav'], 'bark wav')).toEqual(['rose_bark.wav']);
    expect(await found(['Don’t Stop'], "dont sto'p")).toEqual(['Don’t Stop']);
    expect(await found(['Straße'], 'STRASSE')).toEqual(['Straße']);
  });

  it('are found in scripts without spaces, wherever they stand', async () => {
    const names = ['静かな夜', '夜', '夜の歌', '朝'];
    expect(await found(names, '夜')).toEqual(['夜', '夜の歌', '静かな夜']);
    expect(await found(names, '夜 静か')).toEqual(['静かな夜']);
    expect(await found(['เพลงรักแรก', 'รัก'], 'รัก')).toEqual(['รัก', 'เพลงรักแรก']);
    expect(await found(['BGM夜'], 'bgm 夜')).toEqual(['BGM夜']);
  });

  it('are whole characters: half of a surrogate pair matches nothing', async () => {
    // 𠮷 and 𠮸 share their first UTF-16 unit.
    expect(await found(['𠮷野', '𠮸野'], '𠮷')).toEqual(['𠮷野']);
    expect(await found(['𠮷野'], '\ud842')).toEqual([]);
  });
});

describe('typos', () => {
  it.each([
    ['a letter too few', 'moonlght'],
    ['a letter too many', 'mooonlight'],
    ['another letter', 'moonlighd'],
    ['two swapped', 'monolight'],
    ['two typos in eight letters or more', 'monlighd'],
  ])('are forgiven: %s', async (_what, text) => {
    expect(await found(['Moonlight Sonata', 'Sunlight'], text)).toEqual(['Moonlight Sonata']);
  });

  it.each([
    ['one in three letters', 'Sun', 'sin'],
    ['two in seven letters', 'Evening', 'avenint'],
    ['three in eight letters', 'Moonlight', 'munlicht'],
  ])('are not forgiven: %s', async (_what, name, text) => {
    expect(await found([name], text)).toEqual([]);
  });

  it('are forgiven in each word, and only against whole words', async () => {
    expect(await found(['Night Drive'], 'nihgt drvie')).toEqual(['Night Drive']);
    expect(await found(['Midnight'], 'nihgt')).toEqual([]);
  });

  it('leave words without a typo as they are: whole, unfinished or inside', async () => {
    expect(await found(['Nihilist Sunrise'], 'nihilust rise')).toEqual(['Nihilist Sunrise']);
  });

  it('count letters, not UTF-16 units', async () => {
    expect(await found(['𠮷𠮷𠮷𠮷'], '𠮷𠮷𠮷𠮸')).toEqual(['𠮷𠮷𠮷𠮷']);
    expect(await found(['𠮷𠮷'], '𠮷𠮸')).toEqual([]);
  });

  it('are forgiven only where the text alone matches nothing, filters left aside', async () => {
    const index = await indexOver([
      track({ id: id(1), name: 'Nigth', type: 'sfx' }),
      track({ id: id(2), name: 'Night', type: 'music' }),
    ]);
    expect(index.search({ text: 'nigth', type: 'music' }, 0, 10)).toEqual({ total: 0, ids: [] });
    await index.apply([], [id(1)]);
    expect(index.search({ text: 'nigth', type: 'music' }, 0, 10).ids).toEqual([id(2)]);
    // Also where only the newest change matches it.
    await index.apply([track({ id: id(3), name: 'Nigth', type: 'sfx' })], []);
    expect(index.search({ text: 'nigth', type: 'music' }, 0, 10)).toEqual({ total: 0, ids: [] });
  });
});

describe('a text without letters or digits', () => {
  it('finds only names that contain it as it stands, equal ones first', async () => {
    const names = ['Wait...', '....', '...And Then', '...', 'Wait. . .', 'Wait', ''];
    expect(await found(names, '...')).toEqual(['...', '....', '...And Then', 'Wait...']);
    expect(await found(names, '....')).toEqual(['....']);
    expect(await found(names, '?')).toEqual([]);
    expect(await found(['_', 'foo_bar', 'foo-bar'], '_')).toEqual(['_', 'foo_bar']);
    expect(await found(['I ❤ You', 'I <3 You'], '❤')).toEqual(['I ❤ You']);
    expect(await found(['A - B', 'A -- B', 'A- B'], '-')).toHaveLength(3);
  });

  it('knows no typos and no folding', async () => {
    expect(await found(['*****'], '*?***')).toEqual([]);
    expect(await found(['Don’t'], "'")).toEqual([]);
    expect(await found(['Rhythm', 'Atmosphere', 'Foo™'], '™')).toEqual(['Foo™']);
  });

  it('is a question like any other when it is blank: none', async () => {
    const index = await indexOf('A', 'B');
    expect(index.search({ text: '' }, 0, 10).total).toBe(2);
    expect(index.search({ text: '  ' }, 0, 10).total).toBe(2);
  });
});

describe('filters', () => {
  const entries = [
    track({ id: id(1), releasedAt: 1, filterIds: ['calm', 'piano'], isrc: 'USUAN1100001' }),
    track({ id: id(2), releasedAt: 2, filterIds: ['calm'], hasVocals: true }),
    track({ id: id(3), releasedAt: 3, type: 'sfx', name: 'Rain' }),
    track({ id: id(4), releasedAt: -5, filterIds: ['piano', 'calm'], name: 'Calm Rain' }),
  ];
  it.each<[string, IndexQuery, number[]]>([
    ['nothing', {}, [3, 2, 1, 4]],
    ['a type', { type: 'sfx' }, [3]],
    ['vocals', { hasVocals: true }, [2]],
    ['no vocals', { hasVocals: false }, [3, 1, 4]],
    ['one filter', { filterIds: ['calm'] }, [2, 1, 4]],
    ['several filters, all of which must hold', { filterIds: ['calm', 'piano'] }, [1, 4]],
    ['an unknown filter', { filterIds: ['calm', 'loud'] }, []],
    ['an ISRC', { isrc: 'USUAN1100001' }, [1]],
    ['an unknown ISRC', { isrc: 'USUAN1100002' }, []],
    ['a text besides', { filterIds: ['calm'], text: 'rain' }, [4]],
  ])('restrict to %s', async (_what, query, expected) => {
    const index = await indexOver(entries);
    const ids = expected.map(id);
    expect(index.search(query, 0, 10)).toEqual({ total: ids.length, ids });
    expect(index.search(query, 1, 1)).toEqual({ total: ids.length, ids: ids.slice(1, 2) });
    expect(index.search(query, 2_147_483_647 * 100, 100)).toEqual({ total: ids.length, ids: [] });
    expect(index.retain([id(4), id(9), id(1)], query)).toEqual(
      [id(4), id(1)].filter((one) => ids.includes(one)),
    );
  });

  it('are counted over live tracks, through changes', async () => {
    const index = await indexOver(entries);
    expect(index.filterCounts()).toEqual(
      new Map([
        ['calm', 3],
        ['piano', 2],
      ]),
    );
    await index.apply([track({ id: id(2), filterIds: ['piano'] })], [id(1)]);
    expect(index.filterCounts()).toEqual(
      new Map([
        ['calm', 1],
        ['piano', 2],
      ]),
    );
    expect(index.size).toBe(3);
  });
});

describe('building', () => {
  it('takes an id that comes twice as it came last', async () => {
    const index = await indexOver([
      track({ id: id(1), name: 'First' }),
      track({ id: id(1), name: 'Second' }),
    ]);
    expect(index.size).toBe(1);
    expect(index.search({ text: 'first' }, 0, 1).total).toBe(0);
    expect(index.search({ text: 'second' }, 0, 1).total).toBe(1);
  });

  it('makes an index of nothing, which can grow', async () => {
    const index = await indexOver([]);
    expect(index.search({ text: 'night' }, 0, 1)).toEqual({ total: 0, ids: [] });
    await index.apply([track({ id: id(1), name: 'Night' })], [id(2)]);
    expect(index.search({ text: 'night' }, 0, 1)).toEqual({ total: 1, ids: [id(1)] });
  });
});
