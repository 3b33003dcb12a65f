import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvHints, recognizeCsv } from './csv-rows.ts';

const form = (text: string, hints: CsvHints = {}) => recognizeCsv(Buffer.from(text), hints);
const columns = new Set(['No', 'Title', 'Length', 'name', 'type']);

describe('recognizeCsv', () => {
  it.each<[string, string, CsvHints, string, number]>([
    ['a heading in the first line', 'a,b\n1,2\n', {}, ',', 1],
    ['a heading after blank lines', '\n\na;b\n1;2\n', {}, ';', 3],
    ['a title of one cell', 'Acme Music, Ltd\n\na;b;c\n1;2;3\n4;5;6\n', {}, ';', 3],
    ['a title in a table', 'Acme;;;\nMay;2026;;\n;;;\na;b;c;d\n1;2;3;4\n', {}, ';', 4],
    ['known columns', 'Catalog;May;\nNo;Title;Length\n1;a;3:04\n', { columns }, ';', 2],
    ['known columns after a wide title', 'A,B,C,D,E\nNo;Title;x\n1;a;b\n', { columns }, ';', 2],
    ['the first of two equal headings', 'x\nNo,Title\n1,a\nNo,Title\n', { columns }, ',', 2],
    ['the line that the mapping states', 'a,b\nc,d\ne,f\n', { headingLine: 2 }, ',', 2],
    ['a stated line of another delimiter', 'x\n\na;b,c;d\n', { headingLine: 3 }, ';', 3],
    ['a line that names the delimiter', 'sep=;\na,b;c\n1;2\n', {}, ';', 2],
    ['a line that names a rare delimiter', '"SEP=|"\r\na|b\r\n1|2\r\n', {}, '|', 2],
    ['a line that names the tab', 'sep=\t\na\tb\n1\t2\n', {}, '\t', 2],
    ['the delimiter of the mapping', 'sep=;\na|b;c\n', { delimiter: '|' }, '|', 2],
    ['a column without a name', ',a,b\n0,1,2\n1,3,4\n', {}, ',', 1],
    ['a single column', 'name\nx\ny\n', {}, ',', 1],
    ['cells of several lines', 'Acme\n"No\nof";"Title";c\n1;a;b\n2;c;d\n', {}, ';', 2],
    ['nothing but titles', 'Acme\nMusic\n', {}, ',', 1],
  ])('finds %s', (_, text, hints, delimiter, headingLine) => {
    expect(form(text, hints)).toMatchObject({ delimiter, headingLine, endsWithCr: false });
  });

  it('tells titles from blank lines, and from a line that names the delimiter', () => {
    expect(form('sep=;\n\na;b;c\n1;2;3\n')).toMatchObject({ headingLine: 3, hasTitles: false });
    expect(form('Acme\na;b;c\n1;2;3\n')).toMatchObject({ headingLine: 2, hasTitles: true });
    const stated = { headingLine: 2 };
    expect(form('Acme\na;b\n1;2\n', stated)).toMatchObject({ headingLine: 2, hasTitles: false });
  });

  it('recognizes rows that end with CR alone', () => {
    expect(form('Acme\ra;b\r1;2\r', {})).toMatchObject({ delimiter: ';', endsWithCr: true });
    expect(form('Acme\ra;b;c\r1;2;3\r', {})).toMatchObject({ headingLine: 2 });
    expect(form('a;b\r\n1;2\r\n', {})).toMatchObject({ endsWithCr: false });
  });

  it('reads known columns in the encoding of the mapping', () => {
    const text = Buffer.from('Acme\nN\xb0;Titre\n1;a\n', 'latin1');
    const hints = { columns: new Set(['N°', 'Titre']), encoding: 'windows-1252' };
    expect(recognizeCsv(text, hints)).toMatchObject({ headingLine: 2 });
  });

  it('names a line and a delimiter for any bytes', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom('"', ',', ';', '\n', '\r', 'No', 'Title', 'sep=', '\0'),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const found = form(parts.join(''), { columns });
        expect(found.headingLine).toBeGreaterThanOrEqual(1);
        expect(found.headingLine).toBeLessThanOrEqual(61);
        expect(found.delimiter).toHaveLength(1);
      }),
    );
  });
});
