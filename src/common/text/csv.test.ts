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

it.each([
  ['=HYPERLINK("https://x.example")', `"'=HYPERLINK(""https://x.example"")"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['a=1', 'a=1'],
  [-1, '-1'],
])('a cell with %j is no formula: %s', (value, cell) => {
  expect(csvRow([value, 'b'])).toBe(`${cell},b\r\n`);
});

it('a row of CSV holds any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', ',', '\r', '\n', 'a"b'),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const shown = cells.map((cell) => (/^[-=+@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell));
      expect(parse(csvRow(cells))).toEqual(shown);
    }),
  );
  expect(csvRow(['a', 1, null, 'b c', ''])).toBe('a,1,,b c,\r\n');
});
