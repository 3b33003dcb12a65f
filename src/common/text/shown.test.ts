import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRow, printable, printableLine, shownBytes, withoutSecretText } from './shown.ts';

it('replaces control characters and direction marks, and keeps the lines of a text', () => {
  const text = 'a\u001b[2Jb\u202ec\nd\te\u0085\u2067f\u2028g\u007f 夜🎵';
  expect(printable(text)).toBe('a�[2Jb�c\nd\te��f�g� 夜🎵');
  expect(printableLine(text)).toBe('a�[2Jb�c�d�e��f�g� 夜🎵');
});

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

describe('withoutSecretText', () => {
  it.each([
    ['GET /media/stream/x?signature=a-b_c', 'GET /media/stream/x?[secret]'],
    [
      '/media/stream/x%3Fmode%3Dtest%26signature%3Da-b_c',
      '/media/stream/x%3Fmode%3Dtest%26[secret]',
    ],
    ['stave_test_abc123 and more', '[secret] and more'],
    ['Authorization: Bearer abcdefgh', 'Authorization: [secret]'],
    ['eyJhbGciOi.eyJzdWIi.c2ln', '[secret]'],
  ])('redacts %s', (text, expected) => {
    expect(withoutSecretText(text)).toBe(expected);
  });

  it('does not change a text without a secret', () => {
    expect(withoutSecretText('the signature of /v1/tracks')).toBe('the signature of /v1/tracks');
  });
});

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
