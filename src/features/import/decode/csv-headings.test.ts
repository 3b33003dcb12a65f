import { describe, expect, it } from 'vitest';
import { all, pieces, problems, values } from '../../../../test/harness/decoding.ts';
import { textDecoding } from './bytes.ts';
import { recordOfRow } from './cells.ts';
import { decodeCsv, type RowOptions } from './csv.ts';
import type { CsvForm } from './csv-rows.ts';

const decode = (text: string, form: Partial<CsvForm> = {}, options: RowOptions = {}, size = 7) =>
  all(
    decodeCsv(
      pieces(text, size),
      textDecoding(undefined),
      { delimiter: ',', ...form },
      { keepEmpty: true, ...options },
    ),
  );

describe('a CSV file as suppliers write it', () => {
  it('begins at the line of its heading, whatever stands above it', async () => {
    const found = await decode('Acme "Best\n,,,\n\na,b\n1,2\n', { headingLine: 4 });
    expect(values(found)).toEqual([{ a: '1', b: '2' }]);
    expect(found[0]!.position).toBe(5);
  });

  it('has empty rows, of any number of cells, which are passed over', async () => {
    const found = await decode('a,b,c\n,,\n1,2,3\n,\n"", ,\t\n,,,,\n4,5,6\n,x\n');
    expect(values(found)).toEqual([
      { a: '1', b: '2', c: '3' },
      { a: '4', b: '5', c: '6' },
      undefined,
    ]);
    expect(found.map(({ position }) => position)).toEqual([3, 7, 8]);
  });

  it('has no records if it ends above its heading', async () => {
    expect(await decode('a,b\n1,2\n', { headingLine: 9 })).toEqual([]);
  });

  it.each([1, 2, 100])('ends its rows with CR alone, in chunks of %i bytes', async (size) => {
    const text = 'a,b\r1,"x\ry"\r\r2,z';
    const found = await decode(text, { endsWithCr: true }, {}, size);
    expect(values(found)).toEqual([
      { a: '1', b: 'x\ny' },
      { a: '2', b: 'z' },
    ]);
    expect(found.map(({ position }) => position)).toEqual([2, 5]);
  });

  it('has several heading lines', async () => {
    const found = await decode('x,y\na,b\n"t,\n\n1,2\n', { headingLine: 2, firstRecordLine: 4 });
    expect(values(found)).toEqual([{ a: '1', b: '2' }]);
    expect(found[0]!.position).toBe(5);
  });

  it('has a list in its last column if the mapping says so', async () => {
    const text = 'a,b\n1,x\n2,x,,"y,z"\n3\n4,\n';
    const found = await decode(text, { lastColumnIsList: true }, { keepEmpty: false });
    expect(values(found)).toEqual([
      { a: '1', b: 'x' },
      { a: '2', b: ['x', 'y,z'] },
      { a: '3' },
      { a: '4' },
    ]);
    expect(problems(await decode(text))[0]).toEqual([
      3,
      'the row has 4 cells where the heading has 2 (if they are a list, write `"lastColumnIsList": true` in the mapping)',
    ]);
    const long = `a,b\n1${',x'.repeat(1000)}\n2,y\n`;
    expect(problems(await decode(long, { lastColumnIsList: true }))).toEqual([
      [2, 'the row has 1001 cells; 1000 are read at most'],
    ]);
  });

  it('repeats its heading, which is no record', async () => {
    const found = await decode('a, b ,c\n1,2,3\na,b,c\n4,5,6\n"a",b,c,,\na,b,d\n');
    expect(values(found)).toEqual([
      { a: '1', b: '2', c: '3' },
      { a: '4', b: '5', c: '6' },
      { a: 'a', b: 'b', c: 'd' },
    ]);
    expect(found.map(({ position }) => position)).toEqual([2, 4, 6]);
  });

  it('has trailing separators in its heading or its rows', async () => {
    expect(values(await decode('a,b,,\n1,2\n3,4,\n5,6,,\n7,8,,,,\n'))).toMatchObject([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
      { a: '5', b: '6' },
      { a: '7', b: '8' },
    ]);
    expect(values(await decode('a,b\n1,2,\n3,4,"",\n'))).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
  });

  it('is rejected row by row if cells have no column, or columns no cell', async () => {
    expect(problems(await decode('a,b\n1,2,,3\n4\n5,6,\n'))).toEqual([
      [
        2,
        'the row has 4 cells where the heading has 2 (if they are a list, write `"lastColumnIsList": true` in the mapping)',
      ],
      [3, 'the row has 1 cells where the heading has 2'],
    ]);
    expect(problems(await decode(`a,b\n1,2${','.repeat(2000)}\n`))).toEqual([
      [
        2,
        'the row has 2002 cells where the heading has 2 (if they are a list, write `"lastColumnIsList": true` in the mapping)',
      ],
    ]);
  });

  it('names columns of the same name, and without a name, for a mapping', async () => {
    const text = 'w,w,,w[2],w\n1,2,3,4,5\n';
    expect(values(await decode(text, {}, { numbersColumns: true }))).toEqual([
      { w: '1', 'w[3]': '2', '[3]': '3', 'w[2]': '4', 'w[4]': '5' },
    ]);
    await expect(decode(text)).rejects.toThrow(
      'the heading names the column "w" twice; a mapping can read both',
    );
  });

  it('has written durations in Stave’s own column', () => {
    expect(recordOfRow({ durationSeconds: '3:04', name: '3:04' })).toEqual({
      durationSeconds: 184,
      name: '3:04',
    });
    expect(recordOfRow({ durationSeconds: 'PT3M4S' })).toEqual({ durationSeconds: 184 });
    expect(recordOfRow({ durationSeconds: '184.5' })).toEqual({ durationSeconds: '184.5' });
    expect(recordOfRow({ durationSeconds: 'long' })).toEqual({ durationSeconds: 'long' });
  });

  it('has flags in the usual words', () => {
    expect(recordOfRow({ isPRO: ' Y ', hasVocals: 'No' })).toEqual({
      isPRO: true,
      hasVocals: false,
    });
    expect(recordOfRow({ isPRO: 'maybe', hasVocals: '2' })).toEqual({
      isPRO: 'maybe',
      hasVocals: '2',
    });
  });
});
