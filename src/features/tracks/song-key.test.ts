import { expect, it } from 'vitest';
import { keySpellings } from './song-key.ts';

it.each([
  ['Am', ['A minor']],
  ['a min', ['A minor']],
  ['C', ['C major']],
  ['c-maj', ['C major']],
  ['f#m', ['F# minor', 'F♯ minor']],
  ['B flat minor', ['Bb minor', 'B♭ minor']],
  ['Bb', ['Bb major', 'B♭ major']],
  ['b minor', ['B minor']],
  ['nonsense', []],
  ['', []],
  ['8A', []],
])('%s is a spelling of %j', (text, spellings) => {
  expect(keySpellings(text)).toEqual(spellings);
});
