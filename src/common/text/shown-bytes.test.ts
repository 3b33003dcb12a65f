import { expect, it } from 'vitest';
import { shownBytes } from './shown-bytes.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [9_949, '9.9 KB'],
  [9_951, '10 KB'],
  [999_600, '1.0 MB'],
  [340_400_000, '340 MB'],
  [1_249_000_000, '1.2 GB'],
  [5e15, '5000 TB'],
])('shows %i bytes as %s', (bytes, text) => {
  expect(shownBytes(bytes)).toBe(text);
});
