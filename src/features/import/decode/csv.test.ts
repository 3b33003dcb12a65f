import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, joinList, pieces, problems, values } from '../../../../test/harness/decoding.ts';
import { textDecoding } from './bytes.ts';
import { recordOfRow, splitList } from './cells.ts';
import { decodeCsv } from './csv.ts';

const utf8 = textDecoding(undefined);

describe('decodeCsv', () => {
  const decode = (text: string | Buffer, delimiter = ',') =>
    all(decodeCsv(pieces(text), utf8, { delimiter }, { keepEmpty: true }));

  it('reads rows by their heading: quotes, line breaks in cells, CRLF, blank lines', async () => {
    const found = await decode('a, b\r\n1,"x, ""y""\r\nz"\r\n\r\n2,12" mix\r\n');
    expect(values(found)).toEqual([
      { a: '1', b: 'x, "y"\r\nz' },
      { a: '2', b: '12" mix' },
    ]);
    expect(found.map(({ position }) => position)).toEqual([2, 5]);
  });

  it('rejects a row with another number of cells and continues', async () => {
    const found = await decode('a;b\n1;2;3\n4\n5;6\n', ';');
    expect(problems(found)).toEqual([
      [
        2,
        'the row has 3 cells where the heading has 2 (if they are a list, write `"lastColumnIsList": true` in the mapping)',
      ],
      [3, 'the row has 1 cells where the heading has 2'],
    ]);
    expect(found.at(-1)!.value).toEqual({ a: '5', b: '6' });
  });

  it('leaves out empty cells, unless they are to be kept', async () => {
    const read = async (keepEmpty: boolean) =>
      values(
        await all(
          decodeCsv(pieces('a,b\n1,\n1,""\n,1\n'), utf8, { delimiter: ',' }, { keepEmpty }),
        ),
      );
    expect(await read(false)).toEqual([{ a: '1' }, { a: '1' }, { b: '1' }]);
    expect(await read(true)).toEqual([
      { a: '1', b: '' },
      { a: '1', b: '' },
      { a: '', b: '1' },
    ]);
  });

  it('names the one cell that is not UTF-8', async () => {
    const found = await decode(Buffer.from('a,b\n\xc3\xa9,\x80\n', 'latin1'));
    expect(found[0]!.value).toEqual({ a: 'é' });
    expect([...found[0]!.damaged!]).toEqual([
      ['b', 'is not valid UTF-8 (byte 0x80 at position 1)'],
    ]);
  });

  it('rejects a row with an unclosed quote, and reads the rows after it', async () => {
    const found = await decode('a,b\n1,2\n3,"4\n5,6\n');
    expect(problems(found)).toEqual([[3, 'a quote that nothing closes']]);
    expect(values(found)).toEqual([{ a: '1', b: '2' }, undefined, { a: '5', b: '6' }]);
    expect(found.map(({ position }) => position)).toEqual([2, 3, 4]);
  });

  it('rejects a row whose quote is closed on another line with text after it, and reads the next rows', async () => {
    const found = await decode('a,b\n1,"Heroes\n2,Calm\n3,"Late" night\n4,"x\ny"\n');
    expect(problems(found)).toEqual([
      [2, 'a quote that is closed on another line, with text after it'],
    ]);
    expect(values(found)).toEqual([
      undefined,
      { a: '2', b: 'Calm' },
      { a: '3', b: '"Late" night' },
      { a: '4', b: 'x\ny' },
    ]);
    expect(found.map(({ position }) => position)).toEqual([2, 3, 4, 5]);
  });

  it.each([
    ['in the middle', 'i,n,t\n1,"Heroes,music\n2,Calm,music\n3,Single 7",music\n4,End,music\n'],
    [
      'in the last column',
      'i,t,n\n1,music,"Heroes\n2,music,Calm\n3,music,Single 7"\n4,music,End\n',
    ],
  ])('rejects a quote that another row closes %s, and reads the rows after it', async (_, text) => {
    const found = await decode(text);
    expect(problems(found)).toEqual([
      [2, 'a quote that another row closes: each of its lines is a row by itself'],
    ]);
    expect(values(found).slice(1)).toMatchObject([
      { i: '2', n: 'Calm' },
      { i: '3', n: 'Single 7"' },
      { i: '4', n: 'End' },
    ]);
  });

  it('rejects the first line of a row of several lines with another number of cells', async () => {
    const found = await decode('a,b\n1,"Heroes\n2,Calm\n3,x,7",y\n4,End\n');
    expect(problems(found)).toEqual([
      [2, 'the row has 3 cells where the heading has 2, perhaps for a quote that nothing closes'],
      [
        4,
        'the row has 4 cells where the heading has 2 (if they are a list, write `"lastColumnIsList": true` in the mapping)',
      ],
    ]);
    expect(values(found)).toEqual([
      undefined,
      { a: '2', b: 'Calm' },
      undefined,
      { a: '4', b: 'End' },
    ]);
  });

  it('reads quotes within a line as text if text follows them', async () => {
    const found = await decode('a,b\n"Heroes" (live),"x" "y, z\n');
    expect(values(found)).toEqual([undefined]);
    expect(values(await decode('a,b\n"Heroes" (live),"x" "y\n'))).toEqual([
      { a: '"Heroes" (live)', b: '"x" "y' },
    ]);
    expect(values(await decode('a,b\n"Heroes, too" (live),2\r\n'))).toEqual([
      { a: '"Heroes, too" (live)', b: '2' },
    ]);
  });

  it.each([
    ['on one line', 'x'.repeat(2 * 1024 * 1024)],
    ['in quotes', `"${'x'.repeat(2 * 1024 * 1024)}"`],
    ['in quotes over lines', `"${'x\n'.repeat(1024 * 1024)}"`],
  ])('rejects a row that is too long for a record %s, and reads the others', async (_, cell) => {
    const found = await all(
      decodeCsv(pieces(`a,b\n0,0\n1,${cell}\n2,x\n`, 65_536), utf8, { delimiter: ',' }),
    );
    expect(found[1]).toMatchObject({ position: 3, value: undefined });
    expect(found[1]!.problem).toContain('a row longer than 1024 KiB');
    expect(found[0]!.value).toEqual({ a: '0', b: '0' });
    expect(found.at(-1)!.value).toEqual({ a: '2', b: 'x' });
  });

  it('stops at an endless line, and at a file of unclosed quotes', async () => {
    async function* endless(text: string) {
      yield Buffer.from('a,b\n');
      for (;;) {
        yield Buffer.from(text);
      }
    }
    const line = endless('x'.repeat(1024 * 1024));
    await expect(all(decodeCsv(line, utf8, { delimiter: ',' }))).rejects.toThrow(
      'more than 64 MiB',
    );
    // Each line begins a row of a thousand cells over two lines, which has too many columns.
    const quotes = endless('x","\n'.repeat(200_000));
    await expect(all(decodeCsv(quotes, utf8, { delimiter: ',' }))).rejects.toThrow(
      'too many rows with a quote',
    );
  });

  it('refuses a heading that is broken or has too many columns', async () => {
    await expect(decode('a,"b\n1,2\n')).rejects.toThrow('a quote that nothing closes');
    await expect(decode(`${','.repeat(1000)}\n`)).rejects.toThrow(
      'the heading has 1001 columns; 1000 are read at most',
    );
  });

  it('yields batches of at most about a megabyte, for any rows', async () => {
    const wide = Array.from({ length: 1000 }, (_, i) => `c${i}`).join();
    const sizes: number[] = [];
    const rows = `x${','.repeat(999)}\n`.repeat(500);
    for await (const batch of decodeCsv(pieces(`${wide}\n${rows}`, 65_536), utf8, {
      delimiter: ',',
    })) {
      sizes.push(batch.length);
    }
    expect(sizes.reduce((sum, size) => sum + size)).toBe(500);
    expect(Math.max(...sizes)).toBeLessThan(100);
  });

  it('reads any written CSV, in chunks of any size', async () => {
    // Another test covers lines with the same number of separators as a row.
    const texts = fc
      .string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ') })
      .map((text) => (text.includes('\n') ? text.replaceAll(',', ';') : text));
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((width) => fc.array(fc.array(texts, { minLength: width, maxLength: width })));
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 50 }), async (rows, size) => {
        const heading = Array.from({ length: rows[0]?.length ?? 2 }, (_, i) => `column ${i}`);
        const lines = [heading, ...rows].map((row) => row.map(quoted).join());
        const found = await all(
          decodeCsv(
            pieces(lines.join('\r\n'), size),
            utf8,
            { delimiter: ',' },
            { keepEmpty: true },
          ),
        );
        expect(found.filter(({ problem }) => problem !== null)).toEqual([]);
        const filled = rows.filter((row) => row.some((cell) => /[^ \t]/.test(cell)));
        expect(values(found)).toEqual(
          filled.map((row) => Object.fromEntries(row.map((cell, i) => [heading[i], cell]))),
        );
      }),
    );
  });

  it('gives the same result for any bytes in any chunks, and each line at most once', async () => {
    const bytes = fc.string({ unit: fc.constantFrom('a', '"', '"', ',', '\n', '\r\n') });
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const whole = await all(decodeCsv(pieces(`a,b\n${text}`, 1000), utf8, { delimiter: ',' }));
        const cut = await all(decodeCsv(pieces(`a,b\n${text}`, size), utf8, { delimiter: ',' }));
        expect(cut).toEqual(whole);
        const positions = whole.map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
      }),
      { numRuns: 500 },
    );
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

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('cells of Stave’s own columns', () => {
  it('separates the entries of a list by |, and reads \\| as the character itself', () => {
    expect(splitList('a|b\\|c| d ||')).toEqual(['a', 'b|c', 'd']);
  });

  it('reads every list that it wrote', () => {
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

  it('reads artists as ROLE:Name, the first one as primary, with any further colons in the name', () => {
    expect(recordOfRow({ artists: 'COMPOSER:Bach|featured artist: X|AC:DC|Re: Jazz' })).toEqual({
      artists: [
        { name: 'Bach', role: 'COMPOSER', isPrimary: true },
        { name: 'X', role: 'FEATURED_ARTIST', isPrimary: false },
        { name: 'AC:DC', role: 'MAIN_ARTIST', isPrimary: false },
        { name: 'Re: Jazz', role: 'MAIN_ARTIST', isPrimary: false },
      ],
    });
  });

  it('reads a list cell that begins with [ as JSON, but not a name', () => {
    const row = { name: '[untitled]', tags: '["a|b"]', filters: '[{"type":"mood","name":"Calm"}]' };
    expect(recordOfRow(row)).toEqual({
      name: '[untitled]',
      tags: ['a|b'],
      filters: [{ type: 'mood', name: 'Calm' }],
    });
    expect(recordOfRow({ tags: '[broken' })).toEqual({ tags: '[broken' });
  });

  it('reads flags in the usual words and omits empty cells', () => {
    expect(recordOfRow({ isPRO: 'TRUE', hasVocals: '0', bpm: '', name: 'x' })).toEqual({
      isPRO: true,
      hasVocals: false,
      name: 'x',
    });
  });
});
