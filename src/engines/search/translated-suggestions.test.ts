import { expect, it } from 'vitest';
import { identity } from './arbitrary-catalog.test-support.ts';
import type { IndexEntry } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';

const track = (i: number, name: string, aliases: string[]): IndexEntry => ({
  ...identity(i),
  name,
  aliases,
  type: 'music',
  hasVocals: false,
  releasedAt: i,
  durationSeconds: 0,
  bpm: 0,
  songKeys: [],
  filterIds: [],
  isrc: '',
  region: 'WORLD',
  artists: [],
  tags: [],
});

const index = builtOver([
  track(1, 'Night Ferry', ['Nachtfähre', 'Bac de nuit']),
  track(2, 'Heart', ['❤ Herz']),
  track(3, 'Don’t Stop', ['Hör nicht auf', 'd’accord']),
]);

it.each([
  ['nachtf', ['Nachtfähre']],
  ['nuit bac', ['Bac de nuit']],
  ['ferry', ['Night Ferry']],
  // The only name of the track that begins with the symbol is translated.
  ['❤', ['❤ Herz']],
  ['dont', ['Don’t Stop']],
  ['daccord', ['d’accord']],
  // The words are in two names of the track, neither of which they complete.
  ['night nachtf', []],
])('completes %s by %j', (text, names) => {
  expect(index.suggest(text, 10, true)).toEqual(names);
});

it.each(['nachtf', '❤', 'daccord'])('does not complete %s without translations', (text) => {
  expect(index.suggest(text, 10)).toEqual([]);
});
