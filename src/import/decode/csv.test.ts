import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, joinList, pieces, problems, values } from '../../../test/harness/decoding.ts';
import { recordOfRow, splitList } from './cells.ts';
import { decodeCsv } from './csv.ts';
import type { Decoded } from './decoded.ts';
import { textDecoding } from './text-decoding.ts';

const utf8 = textDecoding(undefined);

describe('decodeCsv', () => {
  const decode = (text: string | Buffer, delimiter = ',') =>
    all(decodeCsv(pieces(text), utf8, delimiter));

  it('reads rows by their heading: quotes, line breaks in cells, CRLF, blank lines', async () => {
    const found = await decode('a, b\r\n1,"x, ""y""\r\nz"\r\n\r\n2,12" mix\r\n');
    expect(values(found)).toEqual([
      { a: '1', b: 'x, "y"\r\nz' },
      { a: '2', b: '12" mix' },
    ]);
    expect(found.map(({ position }) => position)).toEqual([2, 5]);
  });

  it('rejects a row of another width and goes on', async () => {
    const found = await decode('a;b\n1;2;3\n4\n5;6\n', ';');
    expect(problems(found)).toEqual([
      [2, 'the row has 3 cells where the heading has 2'],
      [3, 'the row has 1 cells where the heading has 2'],
    ]);
    expect(found.at(-1)!.value).toEqual({ a: '5', b: '6' });
  });

  it('blames the one cell that is not UTF-8', async () => {
    const found = await decode(Buffer.from('a,b\n\xc3\xa9,\x80\n', 'latin1'));
    expect(found[0]!.value).toEqual({ a: 'é' });
    expect([...found[0]!.damaged!]).toEqual([
      ['b', 'is not valid UTF-8 (byte 0x80 at position 1)'],
    ]);
  });

  it('stops at a quote that nothing closes, and keeps what came before', async () => {
    const rows: Decoded[] = [];
    const reading = (async () => {
      for await (const batch of decodeCsv(pieces('a,b\n1,2\n3,"4\n5,6\n'), utf8, ',')) {
        rows.push(...batch);
      }
    })();
    await expect(reading).rejects.toThrow('a quote that nothing closes; the rest was not read');
    expect(values(rows)).toEqual([{ a: '1', b: '2' }]);
  });

  it('stops at a row that never ends', async () => {
    const text = `a,b\n1,"${'x'.repeat(2 * 1024 * 1024)}`;
    const reading = all(decodeCsv(pieces(text, 65_536), utf8, ','));
    await expect(reading).rejects.toThrow('a row longer than 1024 KiB');
  });

  it('refuses a heading that names a column twice', async () => {
    await expect(decode('a,b,a\n1,2,3\n')).rejects.toThrow('names the column "a" twice');
  });

  it('has no special column names', async () => {
    const [row] = await decode('__proto__,constructor\nx,y\n');
    expect(Object.keys(row!.value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(recordOfRow(row!.value as never))).toEqual(['constructor']);
  });
});

describe('cells of Stave’s own columns', () => {
  it('separates lists by |, with \\| for the sign itself', () => {
    expect(splitList('a|b\\|c| d ||')).toEqual(['a', 'b|c', 'd']);
  });

  it('reads back every list that it wrote', () => {
    const entries = fc.array(
      fc
        .string({ unit: fc.constantFrom('a', '|', '\\', ':', ' ', '"', ',', 'é') })
        .map((text) => text.trim()),
    );
    fc.assert(
      fc.property(entries, (list) => {
        const kept = list.filter((text) => text !== '');
        expect(splitList(joinList(kept))).toEqual(kept);
      }),
    );
  });

  it('reads artists as ROLE:Name, the first primary, and leaves other colons to the name', () => {
    expect(recordOfRow({ artists: 'COMPOSER:Bach|featured artist: X|AC:DC|Re: Jazz' })).toEqual({
      artists: [
        { name: 'Bach', role: 'COMPOSER', isPrimary: true },
        { name: 'X', role: 'FEATURED_ARTIST', isPrimary: false },
        { name: 'AC:DC', role: 'MAIN_ARTIST', isPrimary: false },
        { name: 'Re: Jazz', role: 'MAIN_ARTIST', isPrimary: false },
      ],
    });
  });

  it('takes a list cell that begins with [ for JSON, and leaves names alone', () => {
    const row = { name: '[untitled]', tags: '["a|b"]', filters: '[{"type":"mood","name":"Calm"}]' };
    expect(recordOfRow(row)).toEqual({
      name: '[untitled]',
      tags: ['a|b'],
      filters: [{ type: 'mood', name: 'Calm' }],
    });
    expect(recordOfRow({ tags: '[broken' })).toEqual({ tags: '[broken' });
  });

  it('reads flags in the usual words and leaves empty cells out', () => {
    expect(recordOfRow({ isPRO: 'TRUE', hasVocals: '0', bpm: '', name: 'x' })).toEqual({
      isPRO: true,
      hasVocals: false,
      name: 'x',
    });
  });
});
