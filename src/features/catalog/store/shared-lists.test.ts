import { expect, it } from 'vitest';
import { SharedLists } from './index-entries.ts';

/** Gives lists for texts, and counts how many were read. */
function remembered() {
  const lists = new SharedLists();
  const counts = { read: 0 };
  const of = (text: string) =>
    lists.of(text, () => {
      counts.read++;
      return [text];
    });
  return { of, counts };
}

it('gives equal texts one list', () => {
  const { of, counts } = remembered();
  expect(of('["calm"]')).toBe(of('["calm"]'));
  expect(counts.read).toBe(1);
});

it.each([
  ['short texts', 10, 20_000],
  ['long texts', 60_000, 40],
])('remembers some, but not all, of many %s', (_which, length, count) => {
  const { of, counts } = remembered();
  const texts = Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, '.'));
  for (const text of texts) of(text);
  of(texts.at(-1)!);
  expect(counts.read).toBe(count);
  of(texts[0]!);
  expect(counts.read).toBe(count + 1);
});
