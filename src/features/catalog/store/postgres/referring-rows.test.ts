import { describe, expect, it } from 'vitest';
import { ReferringRows, type RowReader } from './referring-rows.ts';

const MORE_THAN_FIT = 120_000;
const CREDITS = 100;

/** Returns rows that credit the artists `from` to `to - 1`, 100 in each row. */
function crediting(from: number, to: number) {
  const rows: { artists: string; filters: string }[] = [];
  for (let first = from; first < to; first += CREDITS) {
    const end = Math.min(first + CREDITS, to);
    const credits = Array.from({ length: end - first }, (_, i) => [first + i, 'COMPOSER', false]);
    rows.push({ artists: JSON.stringify(credits), filters: '[]' });
  }
  return rows;
}

describe('ReferringRows', () => {
  it('reads again what other calls displace while it reads', async () => {
    const rows = new ReferringRows();
    let meanwhile = async () => {};
    const reader: RowReader = {
      rows: async <T>(_sql: string, [rowIds]: readonly unknown[]) => {
        const others = meanwhile;
        meanwhile = async () => {};
        await others();
        return (rowIds as number[]).map((rowId) => ({
          ...{ rowId, id: '', name: `${rowId}`, type: null },
        })) as T[];
      },
    };
    const read = (from: number, to: number) =>
      rows.map(
        reader,
        async () => crediting(from, to),
        ({ artists }) =>
          (JSON.parse(artists) as [number][]).map(([rowId]) => rows.references.artist(rowId).name),
      );
    await read(0, 1);
    meanwhile = async () => {
      await read(10, MORE_THAN_FIT);
    };
    expect(await read(0, 2)).toEqual([['0', '1']]);
  });
});
