import { describe, expect, it } from 'vitest';
import { type IndexQuery, TRACK_SORTS } from '../catalog/catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { found, id, indexOf, matches, track } from './search-rules.test-support.ts';

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

  it('is looked for in the name alone unless fields are given', () => {
    expect(matches(index, { text: 'queen' })).toEqual([1]);
    expect(matches(index, { text: 'queen', in: [] })).toEqual([1]);
    expect(found('queen', 'name')).toEqual([1]);
  });

  it('ranks by the field, then as it stands there, in whatever order fields are given', () => {
    expect(found('queen', 'artists')).toEqual([1, 3, 2, 5]);
    expect(found('queen', 'tags')).toEqual([1, 4, 5]);
    expect(found('queen', 'name', 'artists')).toEqual([1, 3, 2, 5]);
    expect(found('queen', 'name', 'artists', 'tags')).toEqual([1, 3, 2, 5, 4]);
    expect(found('queen', 'tags', 'artists', 'name', 'name')).toEqual([1, 3, 2, 5, 4]);
  });

  it('needs each word in one of the fields, and ranks by the last field that a word needs', () => {
    expect(found('radio queen', 'name', 'artists')).toEqual([3]);
    expect(found('radio queen', 'name')).toEqual([]);
    expect(found('radio queen', 'artists', 'tags')).toEqual([]);
    expect(found('queen rock', 'name', 'artists', 'tags')).toEqual([2, 3, 4]);
    expect(found('rock queen', 'name', 'tags')).toEqual([4]);
    expect(found('latifah childs', 'artists')).toEqual([2]);
    expect(found('latifah destiny', 'artists')).toEqual([2]);
  });

  it('may be unfinished, stand inside words, and have typos where nothing matches as it is', () => {
    expect(found('que', 'artists')).toEqual([1, 2, 3, 5]);
    expect(found('ueen', 'tags')).toEqual([1, 4, 5]);
    expect(found('ratifah', 'name', 'artists')).toEqual([2]);
    expect(found('radoi qeen', 'name', 'artists')).toEqual([3]);
    expect(found('qeen', 'artists', 'tags')).toEqual([1, 2, 3, 4, 5]);
  });

  it('without letters finds only what holds it as it stands', () => {
    expect(found('!!!', 'artists')).toEqual([5]);
    expect(found('!', 'name', 'artists')).toEqual([5]);
    expect(found('#', 'artists')).toEqual([]);
    expect(found('#', 'tags')).toEqual([5]);
    expect(found('-', 'tags', 'artists')).toEqual([3]);
    // No sign stands over the end of one value and the beginning of the next.
    expect(found('!!!!', 'artists')).toEqual([]);
  });

  it('goes with filters, orders and facets, and follows changes', async () => {
    const changing = builtOver(entries, { mergeAtLeast: 3 });
    const asked: IndexQuery = { text: 'queen', in: ['artists'], type: 'music' };
    expect(matches(changing, asked, 'newest')).toEqual([1, 2, 3, 5]);
    expect(changing.search(asked, { offset: 0, limit: 0, facets: true }).facets!.types).toEqual(
      new Map([['music', 4]]),
    );
    await changing.apply(
      [track(1, { artists: ['King'] }), track(6, { artists: ['Queen'] })],
      [id(2)],
      1,
    );
    expect(matches(changing, asked)).toEqual([3, 6, 5]);
    await changing.settled();
    expect(matches(changing, asked)).toEqual([3, 6, 5]);
    expect(matches(changing, { text: 'king', in: ['artists'] })).toEqual([1]);
    await changing.apply([track(3, { artists: ['Queen'], type: 'sfx' })], [], 2);
    expect(matches(changing, asked)).toEqual([6, 5]);
    expect(changing.locate([id(6), id(3)], asked)).toEqual([7, undefined]);
  });
});

describe('suggestions', () => {
  it('complete what follows an apostrophe, and a half-typed syllable', () => {
    const index = indexOf("Jeux d'enfants", 'Sur l’eau', '하나', '한글');
    expect(index.suggest('enfants', 10)).toEqual(["Jeux d'enfants"]);
    expect(index.suggest('enf', 10)).toEqual(["Jeux d'enfants"]);
    expect(index.suggest("d'enf", 10)).toEqual(["Jeux d'enfants"]);
    expect(index.suggest('l’ea', 10)).toEqual(['Sur l’eau']);
    expect(index.suggest('한', 10)).toEqual(['하나', '한글']);
  });

  const names = ['Night Moon', 'Midnight', 'Moonlit Night', 'night', 'Nights', 'Nigth', 'Night!'];

  it('come as a search for the text does, without what has it only inside a word', () => {
    const index = indexOf(...names);
    expect(index.suggest('night', 10)).toEqual(['night', 'Night Moon', 'Moonlit Night', 'Nights']);
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
