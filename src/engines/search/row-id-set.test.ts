import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowIdSet } from './row-id-set.ts';

it('has what was added, once', () => {
  const rowIds = fc.array(fc.oneof(fc.nat(100), fc.nat(2 ** 24)));
  fc.assert(
    fc.property(rowIds, rowIds, (added, others) => {
      const set = new RowIdSet();
      const expected = new Set(added);
      for (const rowId of added) set.add(rowId);
      expect(set.size).toBe(expected.size);
      for (const rowId of [...added, ...others]) {
        expect(set.has(rowId)).toBe(expected.has(rowId));
      }
    }),
  );
});

it('lists its row ids in their order', () => {
  const set = new RowIdSet();
  for (const rowId of [40_000, 31, 0, 32, 63]) set.add(rowId);
  expect([...set.rowIds()]).toEqual([0, 31, 32, 63, 40_000]);
});
