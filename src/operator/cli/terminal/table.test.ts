import { describe, expect, it } from 'vitest';
import { printableLine } from '../../../common/text/printable.ts';
import { facts, table } from './table.ts';

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
