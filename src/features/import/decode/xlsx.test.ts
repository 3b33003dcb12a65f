import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnreadableError } from './decoded.ts';
import {
  archive,
  type Dialect,
  type TestCell,
  type TestSheet,
  workbookFiles,
  xlsx,
} from './xlsx.test-support.ts';
import { decodeXlsx } from './xlsx.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-xlsx-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Found = [position: number, value: unknown];

async function read(content: Uint8Array, sheet?: string): Promise<Found[]> {
  const path = join(folder, 'a.xlsx');
  await writeFile(path, content);
  const found: Found[] = [];
  for await (const batch of decodeXlsx(path, sheet)) {
    for (const { position, value, problem, damaged } of batch) {
      const damage = damaged === null ? {} : { damaged: Object.fromEntries(damaged) };
      found.push([position, problem ?? { ...(value as object), ...damage }]);
    }
  }
  return found;
}

const tracks = (rows: TestSheet['rows'], name = 'Tracks'): TestSheet => ({ name, rows });
const HEADING = ['externalId', 'name', 'type'];

/** Reads one cell below the heading `id, cell`. */
async function cellOf(cell: TestCell, options = {}): Promise<unknown> {
  const [row] = await read(
    await xlsx(
      [
        tracks([
          ['id', 'cell'],
          ['1', cell],
        ]),
      ],
      options,
    ),
  );
  return (row![1] as { cell?: string }).cell;
}

async function refusal(content: Uint8Array, sheet?: string): Promise<string> {
  const error = await read(content, sheet).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnreadableError);
  return (error as Error).message;
}

describe('decodeXlsx', () => {
  it.each<Dialect>(['excel', 'libreoffice', 'google', 'bare', 'prefixed'])(
    'reads what is written in the way of: %s',
    async (dialect) => {
      const rows: TestCell[][] = [
        ['Catalog of Acme & Sons'],
        [],
        [null, 'externalId', 'name', null, 'bpm', 'isPRO', 'releaseDate', 'x'],
        [null, 17, 'Night <Rain>', null, 92.5, true, [46_000, 1]],
        [],
        [null, 4_006_381_333_931, 'Größe 🎵', 'passed over', null, false, null, null],
      ];
      expect(await read(await xlsx([tracks(rows)], { dialect }))).toEqual([
        [
          4,
          {
            externalId: '17',
            name: 'Night <Rain>',
            bpm: '92.5',
            isPRO: 'true',
            releaseDate: '2025-12-09',
          },
        ],
        [6, { externalId: '4006381333931', name: 'Größe 🎵', isPRO: 'false' }],
      ]);
    },
  );

  it.each<[string, TestCell, string | undefined]>([
    ['a date', [45_231, 1], '2023-11-01'],
    ['a date with an hour that is not shown', [45_231.75, 1], '2023-11-01'],
    ['a date and a time', [45_231.5, 2], '2023-11-01T12:00:00Z'],
    ['a date with a time format at midnight', [45_231, 12], '2023-11-01'],
    ['a date before the day that did not exist', [59, 1], '1900-02-28'],
    ['a date after the day that did not exist', [61, 1], '1900-03-01'],
    ['a custom date with a locale', [45_231, 8], '2023-11-01'],
    ['three minutes typed as hours', [184 / 1440, 3], '3:04'],
    ['a time of hours, minutes and seconds', [184 / 86_400, 10], '0:03:04'],
    ['hours and minutes with hidden seconds', [184 / 86_400, 3], '0:03:04'],
    ['a duration of more than a day', [1.5, 4], '36:00:00'],
    ['minutes and seconds with a tenth', [184.5 / 86_400, 5], '3:04.5'],
    ['minutes without a limit', [3723 / 86_400, 11], '1:02:03'],
    ['a percentage', [0.255, 6], '25.5'],
    ['digits with leading zeros', [12_345, 7], '0000000012345'],
    ['a number with a quoted date letter', [3.5, 9], '3.5'],
    ['a number in exponential format', [1_234_567_890_123_456, 13], '1234567890123460'],
    ['the error of binary fractions', { xml: '><v>0.30000000000000004</v></c>' }, '0.3'],
    ['an integer with an exponent', { xml: '><v>1.2E+16</v></c>' }, '12000000000000000'],
    ['a small number', { xml: '><v>1.5E-7</v></c>' }, '0.00000015'],
    ['a date out of range', [99_999_999, 1], '99999999'],
    ['a negative time', [-0.5, 10], '-0.5'],
    ['an error', { xml: ' t="e"><v>#N/A</v></c>' }, undefined],
    ['a formula with a text', { xml: ' t="str"><f>A1&amp;B1</f><v>ab</v></c>' }, 'ab'],
    ['a formula with a number', { xml: '><f>1+1</f><v>2</v></c>' }, '2'],
    ['an ISO date', { xml: ' t="d"><v>2026-11-02T00:00:00</v></c>' }, '2026-11-02'],
    [
      'an ISO date and time',
      { xml: ' t="d"><v>2026-11-02T10:30:00</v></c>' },
      '2026-11-02T10:30:00Z',
    ],
    [
      'rich text with phonetic runs',
      {
        xml: ' t="inlineStr"><is><r><rPr/><t>夜</t></r><r><t>の雨</t></r><rPh sb="0" eb="1"><t>ヨル</t></rPh></is></c>',
      },
      '夜の雨',
    ],
    ['an escaped character', { xml: ' t="str"><v>a_x000A_b_x5F_</v></c>' }, 'a\nb_x5F_'],
    ['blanks', { xml: ' t="str"><v>  </v></c>' }, undefined],
    ['an unknown style', { xml: ' s="999"><v>1</v></c>' }, '1'],
    ['no number', { xml: '><v>abc</v></c>' }, 'abc'],
  ])('reads %s', async (_, cell, expected) => {
    expect(await cellOf(cell)).toBe(expected);
  });

  it('reads dates of the 1904 system', async () => {
    expect(await cellOf([43_769, 1], { is1904: true })).toBe('2023-11-01');
    expect(await cellOf([0, 1], { is1904: true })).toBe('1904-01-01');
  });

  it('finds the heading below titles and notes', async () => {
    const rows = [
      ['Delivery 7'],
      ['Label:', 'Acme'],
      ['', 'Contact', 'a@example.com'],
      [...HEADING, 'bpm', 'isrc', 'tags', 'audio'],
      ['1', 'Night Rain', 'music', 92, 'USUAN1100001', 'rain', 'a.wav'],
    ];
    expect(await read(await xlsx([tracks(rows)]))).toMatchObject([[5, { name: 'Night Rain' }]]);
  });

  it('reads the first visible sheet with records, or the one that is named', async () => {
    const content = await xlsx([
      { ...tracks([HEADING, ['0', 'Hidden', 'music']], 'Old'), state: 'hidden' },
      tracks([], 'Empty'),
      tracks([HEADING, ['1', 'One', 'music']], 'One'),
      tracks([HEADING, ['2', 'Two', 'music']], 'Two'),
    ]);
    expect(await read(content)).toMatchObject([[2, { name: 'One' }]]);
    expect(await read(content, 'two ')).toMatchObject([[2, { name: 'Two' }]]);
    expect(await read(content, 'Old')).toMatchObject([[2, { name: 'Hidden' }]]);
    expect(await refusal(content, 'Three')).toBe(
      'the workbook has no sheet "Three"; its sheets are "Old", "Empty", "One", "Two"',
    );
    const hidden: TestSheet = { ...tracks([HEADING]), state: 'veryHidden' };
    expect(await refusal(await xlsx([hidden]))).toBe('the workbook has no visible sheet');
  });

  it('rejects a row or a cell that cannot be read, and reads the others', async () => {
    const files = workbookFiles([
      tracks([
        HEADING,
        ['1', { xml: ' t="s"><v>99</v></c>' }, 'music'],
        ['2', 'x'.repeat(65_537), 'music'],
        ['3', ...Array.from({ length: 17 }, () => 'x'.repeat(65_000))],
        ['4', 'Rain', 'music'],
      ]),
    ]);
    expect(await read(await archive(files))).toEqual([
      [
        2,
        {
          externalId: '1',
          type: 'music',
          damaged: { name: 'names a text that the workbook does not have' },
        },
      ],
      [3, { externalId: '2', type: 'music', damaged: { name: 'is longer than 65536 characters' } }],
      [4, 'a row longer than 1024 KiB'],
      [5, { externalId: '4', name: 'Rain', type: 'music' }],
    ]);
  });

  it('refuses a heading with a column twice, or with too many', async () => {
    expect(
      await refusal(
        await xlsx([
          tracks([
            ['a', 'b', 'a'],
            ['1', '2', '3'],
          ]),
        ]),
      ),
    ).toBe('the heading names the column "a" twice; a mapping can read both');
    const wide = Array.from({ length: 1001 }, (_, i) => `c${i}`);
    expect(await refusal(await xlsx([tracks([wide])]))).toContain('1001 columns');
  });

  it.each<[string, Record<string, string>, string]>([
    ['an .xlsb', { 'xl/workbook.bin': '' }, 'a binary workbook (.xlsb); save it as .xlsx or CSV'],
    ['an .ods', { mimetype: '', 'content.xml': '' }, 'an OpenDocument file (.ods)'],
    ['a Numbers document', { 'Index/Document.iwa': '' }, 'a document of Numbers'],
    ['another archive', { 'a.csv': 'x' }, 'a ZIP archive and no workbook; unpack it'],
    ['a Word document', { '_rels/.rels': '<a/>' }, 'a ZIP archive and no workbook; unpack it'],
  ])('refuses %s', async (_, files, reason) => {
    expect(await refusal(await archive(files))).toContain(reason);
  });

  it('imports the rows before damage, and names the row', async () => {
    const files = workbookFiles([
      tracks([HEADING, ...Array.from({ length: 40 }, (_, i) => [`${i}`, 'Rain', 'music'])]),
    ]);
    const part = 'xl/worksheets/sheet1.xml';
    files[part] = `${files[part]!.slice(0, -200)}<`;
    const path = join(folder, 'damaged.xlsx');
    await writeFile(path, await archive(files));
    let count = 0;
    const reading = (async () => {
      for await (const batch of decodeXlsx(path, undefined)) count += batch.length;
    })();
    await expect(reading).rejects.toMatchObject({ name: 'UnreadableError', position: 40 });
    expect(count).toBeGreaterThan(30);
    await expect(refusal((await archive(files)).subarray(0, -30))).resolves.toContain('is damaged');
  });
});
