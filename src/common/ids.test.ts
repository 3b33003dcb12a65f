import { expect, it } from 'vitest';
import { isUuid, newSortableId } from './ids.ts';

it('makes ids that sort by their time', () => {
  const times = [0, 1, 255, 256, 1_795_000_000_000, 1_795_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => newSortableId(time));
  expect(ids.toSorted()).toEqual(ids);
  expect(ids[4]).toMatch(/^01a1ee56-5e00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.every(isUuid)).toBe(true);
  expect(newSortableId(0)).not.toBe(ids[0]);
});
