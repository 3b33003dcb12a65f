import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvRow } from './csv.ts';

/** Parses one row as RFC 4180 describes it. */
function parse(row: string): string[] {
  const cells = [...row.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy)];
  expect(cells.map(([whole]) => whole).join('')).toBe(row);
  return cells.map(([, cell]) =>
    cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!,
  );
}

it('a row of CSV holds any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', ',', '\r', '\n', 'a"b'),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      expect(parse(csvRow(cells))).toEqual(cells);
    }),
  );
  expect(csvRow(['a', 1, null, 'b c', ''])).toBe('a,1,,b c,\r\n');
});
