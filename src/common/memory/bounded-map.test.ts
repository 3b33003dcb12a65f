import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('keeps at most so many entries', () => {
  const map = new BoundedMap<number, string>(2);
  map.set(1, 'one');
  map.set(2, 'two');
  expect([map.get(1), map.get(2)]).toEqual(['one', 'two']);
  map.set(3, 'three');
  expect([map.get(1), map.get(2), map.get(3)]).toEqual([undefined, undefined, 'three']);
  map.clear();
  expect(map.get(3)).toBeUndefined();
});
