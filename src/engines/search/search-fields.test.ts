import { describe, expect, it } from 'vitest';
import { INDEX_SORTS, type IndexQuery } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { found, id, indexOf, matches, track } from './search-rules.test-support.ts';

describe('a text without letters or digits', () => {
  it('finds only names that contain it literally, equal names first', () => {
    const names = ['Wait...', '....', '...And Then', '...', 'Wait. . .', 'Wait', ''];
    expect(found(names, '...')).toEqual(['...', '....', '...And Then', 'Wait...']);
    expect(found(names, '....')).toEqual(['....']);
    expect(found(names, '?')).toEqual([]);
    expect(found(['_', 'foo_bar', 'foo-bar'], '_')).toEqual(['_', 'foo_bar']);
    expect(found(['I ❤ You', 'I <3 You'], '❤')).toEqual(['I ❤ You']);
    expect(found(['A - B', 'A -- B', 'A- B'], '-')).toHaveLength(3);
  });

  it('is compared without typos and without folding', () => {
    expect(found(['*****'], '*?***')).toEqual([]);
    expect(found(['Don’t'], "'")).toEqual([]);
    expect(found(['Rhythm', 'Atmosphere', 'Foo™'], '™')).toEqual(['Foo™']);
  });

  it('restricts nothing if it is blank', () => {
    const index = indexOf('A', 'B');
    expect(matches(index, { text: '' })).toEqual([0, 1]);
    expect(matches(index, { text: '  ' })).toEqual([0, 1]);
  });
});

describe('a text in several fields', () => {
  const entries = [
    track(1, { name: 'Queensland', artists: ['Queen'], tags: ['queen'] }),
    track(2, { name: 'Innuendo', artists: ['Queen Latifah', "Destiny's Child"], tags: ['rock'] }),
    track(3, { name: 'Radio Ga Ga', artists: ['Queen'], tags: ['Rock', 'synth-pop'] }),
    track(4, { name: 'Rock the Night', artists: ['Europe'], tags: ['queen'] }),
    track(5, { name: 'Drag', artists: ['The Queens', '!!!'], tags: ['drag queen', '#1'] }),
  ];
  const index = builtOver(entries);
  const found = (text: string, ...fields: IndexQuery['in'] & {}) =>
    matches(index, { text, in: fields });

  it('is searched only in the name unless fields are given', () => {
    expect(matches(index, { text: 'queen' })).toEqual([1]);
    expect(matches(index, { text: 'queen', in: [] })).toEqual([1]);
    expect(found('queen', 'name')).toEqual([1]);
  });

  it('ranks by field, then by rank within the field, regardless of the order of the given fields', () => {
    expect(found('queen', 'artists')).toEqual([1, 3, 2, 5]);
    expect(found('queen', 'tags')).toEqual([1, 4, 5]);
    expect(found('queen', 'name', 'artists')).toEqual([1, 3, 2, 5]);
    expect(found('queen', 'name', 'artists', 'tags')).toEqual([1, 3, 2, 5, 4]);
    expect(found('queen', 'tags', 'artists', 'name', 'name')).toEqual([1, 3, 2, 5, 4]);
  });

  it('matches if a word is romanized in one field, and another one is written in another field', () => {
    const entries = [
      track(1, { name: 'Romance', artists: ['Земфира'], tags: ['rock'] }),
      track(2, { name: 'Земфира', artists: ['Queen'], tags: ['rock'] }),
    ];
    const index = builtOver(entries);
    const found = (text: string) => matches(index, { text, in: ['name', 'artists', 'tags'] });
    expect(found('romance zemfira')).toEqual([1]);
    expect(found('queen zemfira')).toEqual([2]);
    expect(found('zemfira rock')).toEqual([1, 2]);
    expect(found('zemfira jazz')).toEqual([]);
    expect(matches(index, { text: 'romance zemfira', in: ['name'] })).toEqual([]);
  });

  it('matches if each word is in one of the fields, and ranks by the last field that a word needs', () => {
    expect(found('radio queen', 'name', 'artists')).toEqual([3]);
    expect(found('radio queen', 'name')).toEqual([]);
    expect(found('radio queen', 'artists', 'tags')).toEqual([]);
    expect(found('queen rock', 'name', 'artists', 'tags')).toEqual([2, 3, 4]);
    expect(found('rock queen', 'name', 'tags')).toEqual([4]);
    expect(found('latifah childs', 'artists')).toEqual([2]);
    expect(found('latifah destiny', 'artists')).toEqual([2]);
  });

  it('may be incomplete or inside words, and may have typos if nothing matches exactly', () => {
    expect(found('que', 'artists')).toEqual([1, 2, 3, 5]);
    expect(found('ueen', 'tags')).toEqual([1, 4, 5]);
    expect(found('ratifah', 'name', 'artists')).toEqual([2]);
    expect(found('radoi qeen', 'name', 'artists')).toEqual([3]);
    expect(found('qeen', 'artists', 'tags')).toEqual([1, 2, 3, 4, 5]);
  });

  it('finds only values that contain it literally if it has no letters', () => {
    expect(found('!!!', 'artists')).toEqual([5]);
    expect(found('!', 'name', 'artists')).toEqual([5]);
    expect(found('#', 'artists')).toEqual([]);
    expect(found('#', 'tags')).toEqual([5]);
    expect(found('-', 'tags', 'artists')).toEqual([3]);
    // No match extends over the end of one value and the beginning of the next.
    expect(found('!!!!', 'artists')).toEqual([]);
  });

  it('is combined with filters, sorts and facets, and finds changed tracks', async () => {
    const changing = builtOver(entries, { mergeAtLeast: 3 });
    const query: IndexQuery = { text: 'queen', in: ['artists'], type: 'music' };
    expect(matches(changing, query, 'newest')).toEqual([1, 2, 3, 5]);
    expect(changing.search(query, { offset: 0, limit: 0, facets: true }).facets!.types).toEqual(
      new Map([['music', 4]]),
    );
    await changing.apply(
      [track(1, { artists: ['King'] }), track(6, { artists: ['Queen'] })],
      [id(2)],
      1,
    );
    expect(matches(changing, query)).toEqual([3, 6, 5]);
    await changing.settled();
    expect(matches(changing, query)).toEqual([3, 6, 5]);
    expect(matches(changing, { text: 'king', in: ['artists'] })).toEqual([1]);
    await changing.apply([track(3, { artists: ['Queen'], type: 'sfx' })], [], 2);
    expect(matches(changing, query)).toEqual([6, 5]);
    expect(changing.locate([id(6), id(3)], query)).toEqual([7, undefined]);
  });
});

describe('suggestions', () => {
  it('complete the text after an apostrophe, and an incomplete syllable', () => {
    const index = indexOf("Jeux d'enfants", 'Sur l’eau', '하나', '한글');
    expect(index.suggest('enfants', 10)).toEqual(["Jeux d'enfants"]);
    expect(index.suggest('enf', 10)).toEqual(["Jeux d'enfants"]);
    expect(index.suggest("d'enf", 10)).toEqual(["Jeux d'enfants"]);
    expect(index.suggest('l’ea', 10)).toEqual(['Sur l’eau']);
    expect(index.suggest('한', 10)).toEqual(['하나', '한글']);
  });

  const names = ['Night Moon', 'Midnight', 'Moonlit Night', 'night', 'Nights', 'Nigth', 'Night!'];

  it('have the order of a search for the text, without names that contain it only inside a word', () => {
    const index = indexOf(...names);
    expect(index.suggest('night', 10)).toEqual(['night', 'Night Moon', 'Moonlit Night', 'Nights']);
    expect(index.suggest('nig', 10)).toEqual([
      ...['Night Moon', 'night', 'Nights', 'Nigth'],
      'Moonlit Night',
    ]);
    expect(index.suggest('moon nig', 10)).toEqual(['Night Moon', 'Moonlit Night']);
  });

  it('tolerate no typos', () => {
    const index = indexOf('Midnight');
    expect(matches(index, { text: 'midnihgt' })).toEqual([0]);
    expect(index.suggest('midnihgt', 10)).toEqual([]);
    expect(index.suggest('night', 10)).toEqual([]);
  });

  it('are limited in number, and contain names with equal folded forms once', () => {
    const index = indexOf('NIGHT', 'Night', 'Nights', 'night.', 'Nightly');
    expect(index.suggest('n', 2)).toEqual(['NIGHT', 'Nights']);
    expect(index.suggest('n', 0)).toEqual([]);
    expect(index.suggest('n', 100)).toEqual(['NIGHT', 'Nights', 'Nightly']);
  });

  it('have the spelling of the first track of that search, also after changes', async () => {
    const index = indexOf('Día', 'DIA');
    expect(index.suggest('di', 10)).toEqual(['Día']);
    await index.apply([track(7, { name: 'dia', releasedAt: 1 })], [], 1);
    expect(index.suggest('di', 10)).toEqual(['dia']);
    await index.apply([], [id(7), id(0)], 2);
    expect(index.suggest('di', 10)).toEqual(['DIA']);
  });

  it('are empty for a blank text, and are the names that begin with the text if it has only symbols', () => {
    const index = indexOf('A ...', '... and then', '...', 'Night');
    expect(index.suggest('', 10)).toEqual([]);
    expect(index.suggest('  ', 10)).toEqual([]);
    expect(index.suggest('...', 10)).toEqual(['...', '... and then']);
    expect(index.suggest('..', 10)).toEqual(['... and then', '...']);
    expect(index.suggest('?', 10)).toEqual([]);
  });
});

describe('an index', () => {
  it('without tracks can be searched, and accepts tracks', async () => {
    const index = builtOver([]);
    expect(INDEX_SORTS.map((sort) => matches(index, {}, sort))).toEqual(INDEX_SORTS.map(() => []));
    expect(matches(index, { text: 'night' })).toEqual([]);
    expect(index.suggest('night', 10)).toEqual([]);
    await index.apply([track(1, { name: 'Night' })], [id(2)], 1);
    expect(matches(index, { text: 'night' })).toEqual([1]);
    expect(index.locate([id(1), id(2)], {})).toEqual([2, undefined]);
  });

  it('keeps the last of two upserts of a track, and keeps a track that one change removes and upserts', async () => {
    const index = builtOver([track(1, { name: 'First' })]);
    const twice = [track(1, { name: 'Second' }), track(1, { name: 'Third' })];
    await index.apply(twice, [id(1)], 1);
    expect(index.size).toBe(1);
    expect(matches(index, { text: 'first' })).toEqual([]);
    expect(matches(index, { text: 'second' })).toEqual([]);
    expect(matches(index, { text: 'third' })).toEqual([1]);
  });

  it('shows a change when it is applied, and not before', async () => {
    const index = indexOf('Night');
    const taken = index.apply([track(1, { name: 'Nightly' })], [id(0)], 1);
    expect(matches(index, { text: 'night' })).toEqual([0]);
    await taken;
    expect(matches(index, { text: 'night' })).toEqual([1]);
  });

  it('keeps its content if a merge fails, and rejects the next change with the error', async () => {
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
