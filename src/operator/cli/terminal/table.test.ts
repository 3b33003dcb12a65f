import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printableLine } from '../../../common/text/shown.ts';
import { csvOf, facts, firstOf, fittedTable, isCsv, listOf, table, width } from './table.ts';

describe('table', () => {
  it('pads each column except the last to its widest cell', () => {
    expect(
      table(
        ['A', 'NAME'],
        [
          ['1', 'one'],
          ['100', 'a hundred'],
        ],
      ),
    ).toBe(['A    NAME', '1    one', '100  a hundred'].join('\n'));
  });

  it('counts East Asian letters as two columns, and combining marks as none', () => {
    expect(
      table(
        ['NAME', 'X'],
        [
          ['夜曲', '1'],
          ['e\u0301tude', '2'],
        ],
      ),
    ).toBe(['NAME   X', '夜曲   1', 'e\u0301tude  2'].join('\n'));
  });

  it('removes control characters', () => {
    expect(printableLine('a\u001b[2Jb\u202ec\nd')).toBe('a�[2Jb�c�d');
    expect(table(['NAME'], [['\u001b]0;title\u0007']])).not.toMatch(/\p{Cc}(?<!\n)/u);
  });
});

describe('facts', () => {
  it('omits empty values', () => {
    expect(
      facts([
        ['name', 'x'],
        ['isrc', ''],
        ['longer', 'y'],
      ]),
    ).toBe('name    x\nlonger  y');
  });
});

it('shortens the widest cells, until the table fits a terminal', () => {
  const row = { one: 'a'.repeat(20), two: 'b'.repeat(60), three: 'c'.repeat(30) };
  const columns = { ONE: 'one', TWO: 'two', THREE: 'three' } as const;
  const [, line] = fittedTable([row], ['TWO', 'THREE'], columns, true).split('\n');
  expect(line).toHaveLength(80);
  expect(line).toMatch(/^a{20} {2}b{27}… {2}c{27}…$/);
  const [, piped] = fittedTable([row], ['TWO', 'THREE'], columns, false).split('\n');
  expect(piped).toBe(`${row.one}  ${row.two}  ${row.three}`);
});

it('leaves what fits, and columns that must be whole', () => {
  const columns = { A: 'a', B: 'b' } as const;
  expect(fittedTable([{ a: 'x', b: 'y' }], ['A', 'B'], columns, true)).toBe('A  B\nx  y');
  const whole = 'x'.repeat(100);
  expect(fittedTable([{ a: 'long enough', b: whole }], ['A'], columns, true)).toContain(whole);
});

it('fits any text, also wide letters and control characters', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string())), (rows) => {
      const text = fittedTable(rows, ['ONE', 'TWO'], { ONE: '0', TWO: '1' }, true);
      for (const line of text.split('\n')) {
        expect(width(line)).toBeLessThanOrEqual(80);
      }
    }),
  );
});

describe('csvOf', () => {
  const columns = { ID: 'id', NAME: 'name' } as const;

  it('has whole tables with an empty line between them, and nothing else of the text', () => {
    const rows = [{ id: 1, name: `${'x'.repeat(100)}, Für` }];
    const csv = csvOf(
      () =>
        `text\n${fittedTable(rows, ['NAME'], columns, true)}\n${listOf([], 'nothing', columns)}\nmore`,
    );
    expect(csv).toBe(`ID,NAME\n1,"${'x'.repeat(100)}, Für"\n\nID,NAME\n`);
  });

  it('shows no formula to a spreadsheet, and no control character', () => {
    const text = () =>
      listOf(
        [
          { id: 1, name: '=1+1' },
          { id: 2, name: 'a\nb' },
        ],
        '',
        columns,
      );
    expect(csvOf(text)).toBe('ID,NAME\n1,"\'=1+1"\n2,a\uFFFDb\n');
  });

  it('has the rows that people do not see', () => {
    const rows = [1, 2, 3].map((id) => ({ id, name: '' }));
    const text = () => listOf(firstOf(rows, 1), '', columns);
    expect(csvOf(text).split('\n')).toHaveLength(5);
    expect(text().split('\n')).toHaveLength(2);
  });

  it('collects nothing after a text that fails', () => {
    expect(() =>
      csvOf(() => {
        throw new Error('x');
      }),
    ).toThrow('x');
    expect(isCsv()).toBe(false);
  });
});
