import { expect, it } from 'vitest';
import { keyLabel, keyOf, MAJOR_KEYS, MINOR_KEYS, withKey } from './camelot.ts';

it('knows each key of the wheel by its code and its name', () => {
  for (const key of [...MINOR_KEYS, ...MAJOR_KEYS]) {
    expect([keyOf(key.code), keyOf(key.name)]).toEqual([key, key]);
  }
});

it.each([
  ['8a', '8A'],
  ['C major', '8B'],
  ['g# minor', '1A'],
  ['D♯ minor', '2A'],
  ['C# major', '3B'],
  ['Cb major', '1B'],
  ['B# major', '8B'],
  ['Db minor', '12A'],
  ['D lydian', undefined],
  ['13A', undefined],
  ['H minor', undefined],
])('%s is %s', (text, code) => {
  expect(keyOf(text)?.code).toBe(code);
});

it('adds a key, and takes it back in whatever spelling it is there', () => {
  const key = keyOf('8A')!;
  expect(withKey([], key)).toEqual(['8A']);
  expect(withKey(['D lydian'], key)).toEqual(['D lydian', '8A']);
  expect(withKey(['A minor', '9A'], key)).toEqual(['9A']);
  expect(withKey(['8A'], key)).toBeUndefined();
  expect([keyLabel('8A'), keyLabel('D lydian')]).toEqual(['A minor (8A)', 'D lydian']);
});
