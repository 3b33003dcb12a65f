import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { SqlDialect } from '../../../engines/sql/database.ts';
import { queriesBy } from '../../../engines/sql/sqlite/sql-database.ts';
import { ReferringRows } from './references.ts';

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
    const isOneOf = (_: unknown, rowIds: readonly unknown[]) => sql`${JSON.stringify(rowIds)}`;
    const rows = new ReferringRows({ isOneOf } as unknown as SqlDialect);
    let meanwhile = async () => {};
    const queries = queriesBy(async ({ sql: text, parameters }) => {
      const others = meanwhile;
      meanwhile = async () => {};
      await others();
      const rowIds: number[] = text.includes('artists') ? JSON.parse(parameters[0] as string) : [];
      return { rows: rowIds.map((rowId) => ({ rowId, id: '', name: `${rowId}` })) };
    });
    const read = (from: number, to: number) =>
      rows.map(queries, { execute: async () => ({ rows: crediting(from, to) }) }, ({ artists }) =>
        (JSON.parse(artists) as [number][]).map(([rowId]) => rows.references.artist(rowId).name),
      );
    await read(0, 1);
    meanwhile = async () => {
      await read(10, MORE_THAN_FIT);
    };
    expect(await read(0, 2)).toEqual([['0', '1']]);
  });
});
