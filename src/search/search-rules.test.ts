import { describe, expect, it } from 'vitest';
import {
  type CatalogIndex,
  type IndexEntry,
  type IndexQuery,
  TRACK_SORTS,
  type TrackSort,
} from '../catalog/catalog-index.ts';
import { filterId } from './arbitrary-catalog.test-support.ts';
import { builtOver } from './engine.test-support.ts';

/** An index over tracks of these names, the first one the newest. */
function indexOf(...names: string[]): CatalogIndex {
  return builtOver(names.map((name, i) => track(i, { name, releasedAt: -i })));
}

function id(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
}

function track(i: number, values: Partial<IndexEntry> = {}): IndexEntry {
  return {
    no: i + 1,
    id: id(i),
    name: 'Untitled',
    type: 'music',
    hasVocals: false,
    releasedAt: 0,
    durationSeconds: 0,
    bpm: 0,
    songKeys: [],
    filterIds: [],
    isrc: '',
    ...values,
  };
}

/** Which tracks match, in order. */
function matches(index: CatalogIndex, query: IndexQuery, sort?: TrackSort): number[] {
  const { total, tracks } = index.search(query, { offset: 0, limit: 100, sort });
  expect(tracks).toHaveLength(total);
  return tracks.map((no) => no - 1);
}

/** What the text finds, by name, best first. */
function found(names: string[], text: string): string[] {
  return matches(indexOf(...names), { text }).map((i) => names[i]!);
}

describe('ranking', () => {
  it('puts the first rank that holds first, though the names get older', () => {
    const names = [
      'Knights of Moonlight',
      'Midnights and Moons',
      'Moon over a Night in June',
      'Night Moonlit Walk',
      'Night Moon',
      // Rank 6 has no place here: the text matches something.
      'Nigt Moon',
    ];
    expect(found(names, 'night moon')).toEqual([
      'Night Moon',
      'Night Moonlit Walk',
      'Moon over a Night in June',
      'Knights of Moonlight',
      'Midnights and Moons',
    ]);
    expect(found(['Moonlit Night', 'Knight Moons', 'Moons, Nights'], 'night moon')).toEqual([
      'Moonlit Night',
      'Moons, Nights',
      'Knight Moons',
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

  it('knows a word as whole where it stands whole, though it begins another there too', () => {
    expect(found(['Nights, a Night', 'Nights, Nightly', 'In the Night'], 'night')).toEqual([
      'Nights, a Night',
      'Nights, Nightly',
      'In the Night',
    ]);
    expect(found(['A Nightly Night', 'Nightly', 'In Nights'], 'night')).toEqual([
      'Nightly',
      'A Nightly Night',
      'In Nights',
    ]);
  });
});

describe('words', () => {
  it('all have to match, in whatever order', () => {
    const names = ['Blue Moon Rising', 'Blue Sun', 'Rising Blue Tide'];
    expect(found(names, 'rising blue')).toEqual(['Rising Blue Tide', 'Blue Moon Rising']);
    expect(found(names, 'rising green')).toEqual([]);
  });

  it('may be unfinished at the end, with or without a space after them', () => {
    expect(found(['Sunset Boulevard'], 'sunset bou')).toEqual(['Sunset Boulevard']);
    expect(found(['Sunset Boulevard'], 'sunset bou ')).toEqual(['Sunset Boulevard']);
  });

  it('match inside longer ones, ranked lower', () => {
    expect(found(['Sunrise', 'The Rise'], 'rise')).toEqual(['The Rise', 'Sunrise']);
  });

  it('may be repeated, and one word of a name may serve for two of the text', () => {
    expect(found(['Night'], 'night night')).toEqual(['Night']);
    expect(found(['Night'], 'night nig')).toEqual(['Night']);
    expect(found(['Night Night', 'Night, oh Night'], 'night night')).toEqual([
      'Night Night',
      'Night, oh Night',
    ]);
  });

  it('may be one letter', () => {
    expect(found(['Banana', 'Plan A', 'A Plan', 'A'], 'a')).toEqual([
      'A',
      'A Plan',
      'Plan A',
      'Banana',
    ]);
  });

  it('do not mind case, accents, punctuation and Unicode form', () => {
    for (const text of ['beyonce', 'BEYONCÉ', 'Beyonce\u0301', 'ｂｅｙｏｎｃｅ', 'beyoncé!']) {
      expect(found(['Beyoncé'], text)).toEqual(['Beyoncé']);
    }
    expect(found(['rose_bark.wav'], 'bark wav')).toEqual(['rose_bark.wav']);
    expect(found(['Don’t Stop'], "dont sto'p")).toEqual(['Don’t Stop']);
    expect(found(['Straße'], 'STRASSE')).toEqual(['Straße']);
  });

  it('are found in scripts without spaces, wherever they stand', () => {
    const names = ['静かな夜', '夜', '夜の歌', '朝'];
    expect(found(names, '夜')).toEqual(['夜', '夜の歌', '静かな夜']);
    expect(found(names, '夜 静か')).toEqual(['静かな夜']);
    expect(found(['เพลงรักแรก', 'รัก'], 'รัก')).toEqual(['รัก', 'เพลงรักแรก']);
    expect(found(['BGM夜'], 'bgm 夜')).toEqual(['BGM夜']);
  });

  it('are whole characters: half of a surrogate pair matches nothing', () => {
    // 𠮷 and 𠮸 share their first UTF-16 unit.
    expect(found(['𠮷野', '𠮸野'], '𠮷')).toEqual(['𠮷野']);
    expect(found(['𠮷野'], '\ud842')).toEqual([]);
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

describe('a text without letters or digits', () => {
  it('finds only names that contain it as it stands, equal ones first', () => {
    const names = ['Wait...', '....', '...And Then', '...', 'Wait. . .', 'Wait', ''];
    expect(found(names, '...')).toEqual(['...', '....', '...And Then', 'Wait...']);
    expect(found(names, '....')).toEqual(['....']);
    expect(found(names, '?')).toEqual([]);
    expect(found(['_', 'foo_bar', 'foo-bar'], '_')).toEqual(['_', 'foo_bar']);
    expect(found(['I ❤ You', 'I <3 You'], '❤')).toEqual(['I ❤ You']);
    expect(found(['A - B', 'A -- B', 'A- B'], '-')).toHaveLength(3);
  });

  it('knows no typos and no folding', () => {
    expect(found(['*****'], '*?***')).toEqual([]);
    expect(found(['Don’t'], "'")).toEqual([]);
    expect(found(['Rhythm', 'Atmosphere', 'Foo™'], '™')).toEqual(['Foo™']);
  });

  it('asks for nothing when it is blank', () => {
    const index = indexOf('A', 'B');
    expect(matches(index, { text: '' })).toEqual([0, 1]);
    expect(matches(index, { text: '  ' })).toEqual([0, 1]);
  });
});

describe('filters', () => {
  const [calm, piano, loud] = [filterId(1), filterId(2), filterId(3)];
  const entries = [
    track(1, { releasedAt: 1, filterIds: [calm, piano], isrc: 'USUAN1100001' }),
    track(2, { releasedAt: 2, filterIds: [calm], hasVocals: true }),
    track(3, { releasedAt: 3, type: 'sfx', name: 'Rain' }),
    track(4, { releasedAt: -5, filterIds: [piano, calm], name: 'Calm Rain' }),
  ];

  it.each<[string, IndexQuery, number[]]>([
    ['nothing', {}, [3, 2, 1, 4]],
    ['a type', { type: 'sfx' }, [3]],
    ['vocals', { hasVocals: true }, [2]],
    ['no vocals', { hasVocals: false }, [3, 1, 4]],
    ['one filter', { filterIds: [calm] }, [2, 1, 4]],
    ['several filters, all of which must hold', { filterIds: [calm, piano] }, [1, 4]],
    ['an unknown filter', { filterIds: [calm, loud] }, []],
    ['an ISRC', { isrc: 'USUAN1100001' }, [1]],
    ['an unknown ISRC', { isrc: 'USUAN1100002' }, []],
    ['a text besides', { filterIds: [calm], text: 'rain' }, [4]],
  ])('restrict to %s', (_what, query, expected) => {
    const index = builtOver(entries);
    const total = expected.length;
    expect(matches(index, query)).toEqual(expected);
    const second = expected.slice(1, 2).map((i) => i + 1);
    expect(index.search(query, { offset: 1, limit: 1 })).toEqual({ total, tracks: second });
    const tooFar = { offset: 2_147_483_647 * 100, limit: 100 };
    expect(index.search(query, tooFar)).toEqual({ total, tracks: [] });
    const located = [4, 9, 1].map((i) => (expected.includes(i) ? i + 1 : undefined));
    expect(index.locate([id(4), id(9), id(1)], query)).toEqual(located);
  });

  it('are counted over live tracks, through changes', async () => {
    const index = builtOver(entries);
    const counts = () => [calm, piano].map((one) => index.filterCounts().get(one) ?? 0);
    expect(counts()).toEqual([3, 2]);
    await index.apply([track(2, { filterIds: [piano] })], [id(1)], 1);
    expect(counts()).toEqual([1, 2]);
    expect(index.size).toBe(3);
  });
});

describe('ranges', () => {
  const entries = [
    track(0),
    track(1, { bpm: 119.999, durationSeconds: 1, releasedAt: -1 }),
    track(2, { bpm: 120, durationSeconds: 180, releasedAt: 0 }),
    track(3, { bpm: 120.001, durationSeconds: 181, releasedAt: 1 }),
  ];

  it.each<[string, IndexQuery, number[]]>([
    ['tempo from', { bpmMin: 120 }, [2, 3]],
    ['tempo from between two thousandths', { bpmMin: 120.0001 }, [3]],
    ['tempo to', { bpmMax: 120 }, [1, 2]],
    ['tempo to between two thousandths', { bpmMax: 119.9999 }, [1]],
    ['tempo from and to', { bpmMin: 120, bpmMax: 120 }, [2]],
    ['any known tempo', { bpmMin: 0 }, [1, 2, 3]],
    ['no tempo at all', { bpmMax: 0 }, []],
    ['no tempo between the ends', { bpmMin: 121, bpmMax: 119 }, []],
    ['duration from', { durationMin: 180 }, [2, 3]],
    ['duration to', { durationMax: 180 }, [1, 2]],
    ['any known duration', { durationMin: 0, durationMax: 9_999 }, [1, 2, 3]],
    ['release from', { releasedFrom: 0 }, [0, 2, 3]],
    ['release to', { releasedTo: 0 }, [0, 1, 2]],
    ['release before 1970', { releasedFrom: -1, releasedTo: -1 }, [1]],
    ['several', { bpmMin: 119.5, durationMax: 180, releasedFrom: 0 }, [2]],
  ])('include both ends and leave out what is unknown: %s', (_what, query, expected) => {
    expect(matches(builtOver(entries), query).sort()).toEqual(expected);
  });
});

describe('a song key', () => {
  it('is one of the track’s, in any case', () => {
    const index = builtOver([
      track(1, { songKeys: ['C major', 'A minor'] }),
      track(2, { songKeys: ['c MAJOR', 'C major'] }),
      track(3, { songKeys: ['C♯ minor'] }),
      track(4),
    ]);
    expect(matches(index, { songKey: 'C Major' })).toEqual([1, 2]);
    expect(matches(index, { songKey: 'a minor' })).toEqual([1]);
    expect(matches(index, { songKey: 'C♯ MINOR' })).toEqual([3]);
    expect(matches(index, { songKey: 'C' })).toEqual([]);
  });
});

describe('the order', () => {
  const entries = [
    track(1, { releasedAt: 3, name: 'b', bpm: 90, durationSeconds: 30 }),
    track(2, { releasedAt: 1, name: 'A rain', bpm: 0, durationSeconds: 10 }),
    track(3, { releasedAt: 2, name: '...', bpm: 90, durationSeconds: 0 }),
    track(4, { releasedAt: 2, name: 'Árain', bpm: 9.5, durationSeconds: 8_359 }),
    track(5, { releasedAt: -1, name: 'Rain', bpm: 200, durationSeconds: 10 }),
    track(6, { releasedAt: 9, name: '夜' }),
  ];

  it.each<[TrackSort, number[]]>([
    ['relevance', [6, 1, 3, 4, 2, 5]],
    ['newest', [6, 1, 3, 4, 2, 5]],
    ['oldest', [5, 2, 4, 3, 1, 6]],
    ['name', [2, 4, 1, 5, 6, 3]],
    ['bpm', [4, 1, 3, 5, 6, 2]],
    ['duration', [2, 5, 1, 4, 6, 3]],
    ['popular', [6, 1, 3, 4, 2, 5]],
  ])('is total, what is unknown comes last, then the newest, then by id: %s', (sort, expected) => {
    expect(matches(builtOver(entries), {}, sort)).toEqual(expected);
  });

  it.each<[TrackSort, number[]]>([
    ['relevance', [5, 2, 4]],
    ['newest', [4, 2, 5]],
    ['oldest', [5, 2, 4]],
    ['name', [2, 4, 5]],
    ['bpm', [4, 5, 2]],
    ['duration', [2, 5, 4]],
  ])('asked for takes the place of relevance: %s', (sort, expected) => {
    expect(matches(builtOver(entries), { text: 'rain' }, sort)).toEqual(expected);
  });

  it('by name compares word by word', () => {
    const names = ['Moonlight', 'Moon Zoo', 'moon', 'Moon 2', 'Moon', '2 Moons', '„Moon“ lit'];
    const sorted = matches(indexOf(...names), {}, 'name').map((i) => names[i]);
    const expected = ['2 Moons', 'moon', 'Moon', 'Moon 2', '„Moon“ lit', 'Moon Zoo', 'Moonlight'];
    expect(sorted).toEqual(expected);
  });

  it('holds for typos too', () => {
    const index = builtOver([
      track(1, { name: 'Night', bpm: 120 }),
      track(2, { name: 'Night', bpm: 60, releasedAt: -1 }),
    ]);
    expect(matches(index, { text: 'nihgt' })).toEqual([1, 2]);
    expect(matches(index, { text: 'nihgt' }, 'bpm')).toEqual([2, 1]);
  });
});

describe('popularity', () => {
  const entries = [1, 2, 3, 4].map((i) => track(i, { releasedAt: -i }));
  const licences = (...counts: [i: number, count: number][]) =>
    new Map(counts.map(([i, count]) => [id(i), count]));
  const popular = (index: CatalogIndex, popularity?: string) =>
    index
      .search({}, { offset: 0, limit: 10, sort: 'popular', popularity })
      .tracks.map((no) => no - 1);

  it('puts the most licensed first, by the name it was set under', async () => {
    const index = builtOver(entries);
    await index.setPopularity('live', licences([3, 2], [4, 70_000], [2, 2]));
    await index.setPopularity('test', licences([3, 1]));
    expect(popular(index, 'live')).toEqual([4, 2, 3, 1]);
    expect(popular(index, 'test')).toEqual([3, 1, 2, 4]);
    expect(popular(index, 'unheard of')).toEqual([1, 2, 3, 4]);
    expect(popular(index)).toEqual([1, 2, 3, 4]);
  });

  it('takes the place of what was set before, as a whole', async () => {
    const index = builtOver(entries);
    await index.setPopularity('live', licences([3, 2]));
    await index.setPopularity('live', licences([4, 1]));
    expect(popular(index, 'live')).toEqual([4, 1, 2, 3]);
  });

  it('stays with a track that changes, goes or has yet to come', async () => {
    const index = builtOver(entries);
    await index.setPopularity('live', licences([3, 2], [9, 3]));
    await index.apply([track(3, { name: 'Changed' }), track(9, { releasedAt: -9 })], [id(1)], 1);
    expect(popular(index, 'live')).toEqual([9, 3, 2, 4]);
    await index.apply([], [id(3)], 2);
    expect(popular(index, 'live')).toEqual([9, 2, 4]);
    await index.apply([track(3)], [], 3);
    expect(popular(index, 'live')).toEqual([9, 3, 2, 4]);
  });
});

describe('facets', () => {
  const [calm, piano] = [filterId(1), filterId(2)];
  const entries = [
    track(1, { name: 'Rain', filterIds: [calm, piano], hasVocals: true }),
    track(2, { name: 'Rainy', filterIds: [calm] }),
    track(3, { name: 'Night', type: 'sfx', filterIds: [piano] }),
  ];
  /** As objects, which read better here than maps do. */
  const facets = (index: CatalogIndex, query: IndexQuery) => {
    const { facets } = index.search(query, { offset: 5, limit: 0, facets: true });
    return Object.fromEntries(
      Object.entries(facets!).map(([kind, counts]) => [kind, Object.fromEntries(counts)]),
    );
  };

  it('count the whole result, whatever the page', () => {
    const index = builtOver(entries);
    expect(facets(index, {})).toEqual({
      filters: { [calm]: 2, [piano]: 2 },
      types: { music: 2, sfx: 1 },
      hasVocals: { true: 1, false: 2 },
    });
    expect(facets(index, { text: 'rain' })).toEqual({
      filters: { [calm]: 2, [piano]: 1 },
      types: { music: 2 },
      hasVocals: { true: 1, false: 1 },
    });
  });

  it('are empty where nothing matches, and absent where nobody asked', () => {
    const index = builtOver(entries);
    const nothing = { filters: {}, types: {}, hasVocals: {} };
    expect(facets(index, { text: 'sunshine' })).toEqual(nothing);
    expect(index.search({}, { offset: 0, limit: 1 })).not.toHaveProperty('facets');
  });

  it('follow changes', async () => {
    const index = builtOver(entries);
    await index.apply([track(1, { filterIds: [piano] })], [id(2)], 1);
    expect(facets(index, {})).toEqual({
      filters: { [piano]: 2 },
      types: { music: 1, sfx: 1 },
      hasVocals: { false: 2 },
    });
  });
});

describe('suggestions', () => {
  const names = ['Night Moon', 'Midnight', 'Moonlit Night', 'night', 'Nights', 'Nigth', 'Night!'];

  it('come as a search for the text does, without what has it only inside a word', () => {
    const index = indexOf(...names);
    expect(index.suggest('night', 10)).toEqual(['night', 'Night Moon', 'Nights', 'Moonlit Night']);
    expect(index.suggest('nig', 10)).toEqual([
      ...['Night Moon', 'night', 'Nights', 'Nigth'],
      'Moonlit Night',
    ]);
    expect(index.suggest('moon nig', 10)).toEqual(['Night Moon', 'Moonlit Night']);
  });

  it('forgive no typos', () => {
    const index = indexOf('Midnight');
    expect(matches(index, { text: 'midnihgt' })).toEqual([0]);
    expect(index.suggest('midnihgt', 10)).toEqual([]);
    expect(index.suggest('night', 10)).toEqual([]);
  });

  it('are at most so many, names that fold alike counted once', () => {
    const index = indexOf('NIGHT', 'Night', 'Nights', 'night.', 'Nightly');
    expect(index.suggest('n', 2)).toEqual(['NIGHT', 'Nights']);
    expect(index.suggest('n', 0)).toEqual([]);
    expect(index.suggest('n', 100)).toEqual(['NIGHT', 'Nights', 'Nightly']);
  });

  it('are spelled as the first track of that search spells them, through changes', async () => {
    const index = indexOf('Día', 'DIA');
    expect(index.suggest('di', 10)).toEqual(['Día']);
    await index.apply([track(7, { name: 'dia', releasedAt: 1 })], [], 1);
    expect(index.suggest('di', 10)).toEqual(['dia']);
    await index.apply([], [id(7), id(0)], 2);
    expect(index.suggest('di', 10)).toEqual(['DIA']);
  });

  it('are none for a blank text, and for symbols the names that begin with them', () => {
    const index = indexOf('A ...', '... and then', '...', 'Night');
    expect(index.suggest('', 10)).toEqual([]);
    expect(index.suggest('  ', 10)).toEqual([]);
    expect(index.suggest('...', 10)).toEqual(['...', '... and then']);
    expect(index.suggest('..', 10)).toEqual(['... and then', '...']);
    expect(index.suggest('?', 10)).toEqual([]);
  });
});

describe('an index', () => {
  it('of nothing answers, and can grow', async () => {
    const index = builtOver([]);
    expect(TRACK_SORTS.map((sort) => matches(index, {}, sort))).toEqual(TRACK_SORTS.map(() => []));
    expect(matches(index, { text: 'night' })).toEqual([]);
    expect(index.suggest('night', 10)).toEqual([]);
    await index.apply([track(1, { name: 'Night' })], [id(2)], 1);
    expect(matches(index, { text: 'night' })).toEqual([1]);
    expect(index.locate([id(1), id(2)], {})).toEqual([2, undefined]);
  });

  it('takes a track that comes twice as it came last, and one that goes and comes as come', async () => {
    const index = builtOver([track(1, { name: 'First' })]);
    const twice = [track(1, { name: 'Second' }), track(1, { name: 'Third' })];
    await index.apply(twice, [id(1)], 1);
    expect(index.size).toBe(1);
    expect(matches(index, { text: 'first' })).toEqual([]);
    expect(matches(index, { text: 'second' })).toEqual([]);
    expect(matches(index, { text: 'third' })).toEqual([1]);
  });

  it('shows a change when it is in, and not before', async () => {
    const index = indexOf('Night');
    const taken = index.apply([track(1, { name: 'Nightly' })], [id(0)], 1);
    expect(matches(index, { text: 'night' })).toEqual([0]);
    await taken;
    expect(matches(index, { text: 'night' })).toEqual([1]);
  });

  it('goes on as it was when a merge fails, and says so with the next change', async () => {
    const merge = () => Promise.reject(new Error('no memory'));
    const index = builtOver([track(0)], { mergeAtLeast: 1, merge });
    await index.apply([track(1)], [], 1);
    await index.settled();
    expect(matches(index, {})).toEqual([0, 1]);
    await expect(index.apply([track(2)], [], 2)).rejects.toThrow(/Merging .* failed/);
    expect(matches(index, {})).toEqual([0, 1]);
    await index.apply([track(2)], [], 2);
    expect(matches(index, {})).toEqual([0, 1, 2]);
  });
});
