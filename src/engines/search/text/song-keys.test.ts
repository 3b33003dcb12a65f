import { describe, expect, it } from 'vitest';
import { keyName } from './song-keys.ts';

/** The spellings of each key. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'A minor': [
    'Am',
    'am',
    'AM',
    'A m',
    'A min',
    'A-minor',
    'a-moll',
    'a moll',
    'a\u2011moll',
    'a–moll',
    'A Minor',
    '8A',
    '08a',
    '1m',
    'La mineur',
    'la menor',
    'Amin.',
  ],
  'Bb minor': [
    'A# minor',
    'Bb minor',
    'A♯m',
    'B♭ minor',
    'b-moll',
    'B-Moll',
    'ais-moll',
    'B flat minor',
    'A sharp minor',
    '3A',
    '8m',
    'Si bémol mineur',
    'B_flat_minor',
  ],
  'B major': [
    'B',
    'B major',
    'H',
    'H-Dur',
    'h dur',
    'Cb',
    'Ces-Dur',
    '1B',
    '6d',
    'Si majeur',
    'Bmaj',
  ],
  'B minor': ['Bm', 'h-moll', 'Hm', '10A', '3m', 'Si m', 'Bmi'],
  'Bb major': ['B-Dur', 'b dur', 'Bb', 'Bb major', 'A#', 'Bb-Dur', '6B', '11d'],
  'C major': ['C', 'C major', 'C-Dur', 'Cmaj', 'B#', 'His-Dur', 'Do mayor', '8B', '1d', ' c '],
  'F# minor': [
    'F#m',
    'Gb minor',
    'fis-moll',
    'F sharp minor',
    'fa dièse mineur',
    'fa die\u0300se mineur',
    '11A',
    '4m',
  ],
  'Ab major': ['G# major', 'As-Dur', 'Ab', 'Lab majeur', '4B', '9d'],
  'Eb minor': ['D#m', 'es-moll', 'dis moll', 'Mib menor', '2A', '7m'],
  'E major': ['Fb', 'Mi maggiore', 'e-dur', '12B', '5d'],
};

describe('the name of a key', () => {
  it.each(Object.entries(SPELLINGS))('%s has all of its spellings', (name, spellings) => {
    for (const spelling of spellings)
      expect([spelling, keyName(spelling)]).toEqual([spelling, name]);
  });

  it('is the same for itself', () => {
    for (const name of Object.keys(SPELLINGS)) expect(keyName(name)).toBe(name);
  });

  it('goes round both wheels', () => {
    const hours = Array.from({ length: 12 }, (_, i) => i + 1);
    for (const mode of ['A', 'B', 'd', 'm']) {
      expect(new Set(hours.map((hour) => keyName(`${hour}${mode}`))).size).toBe(12);
    }
    // Camelot 8A is Open Key 1m, and 8B is 1d.
    for (const hour of hours) {
      const camelot = ((hour + 6) % 12) + 1;
      expect(keyName(`${hour}m`)).toBe(keyName(`${camelot}A`));
      expect(keyName(`${hour}d`)).toBe(keyName(`${camelot}B`));
    }
  });

  it.each([
    '',
    'I',
    'X minor',
    'A dorian',
    '13A',
    '0A',
    '8C',
    'A minor B',
    'minor',
    'É major',
    'A##',
    'Hbb',
    '120',
    'C,',
  ])('is unknown for %j', (text) => expect(keyName(text)).toBeUndefined());

  it('takes no long time for a long text', () => {
    expect(keyName(`a${' -'.repeat(50_000)}x`)).toBeUndefined();
  });
});
