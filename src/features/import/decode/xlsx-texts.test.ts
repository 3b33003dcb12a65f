import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archive, type TestCell, workbookFiles } from './xlsx.test-support.ts';
import { decodeXlsx } from './xlsx.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-xlsx-texts-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A text of a workbook, and the way in which it is written. */
interface WrittenText {
  /** The text in parts, which are the runs of a rich text. */
  parts: string[];
  isRich: boolean;
  /** How an empty text is written. */
  empty: string;
  isPhonetic: boolean;
  isInline: boolean;
}

const writtenText = fc.record<WrittenText>({
  parts: fc.array(
    fc.string({ unit: fc.constantFrom('a', '夜', '🎵', ' ', '<', '&', '"'), maxLength: 4 }),
    { maxLength: 4 },
  ),
  isRich: fc.boolean(),
  empty: fc.constantFrom('', '<t/>', '<t></t>'),
  isPhonetic: fc.boolean(),
  isInline: fc.boolean(),
});
const COLUMNS = ['c0', 'c1', 'c2'];
const row = fc.array(fc.option(writtenText), { maxLength: COLUMNS.length });

const textOf = ({ parts }: WrittenText) => parts.join('');

/** The content of a string item, shared or inline. */
function itemXml({ parts, isRich, empty, isPhonetic }: WrittenText): string {
  const t = (text: string) =>
    text === ''
      ? empty
      : `<t xml:space="preserve">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t>`;
  const text = isRich
    ? parts.map((part) => `<r><rPr><b/></rPr>${t(part)}</r>`).join('')
    : t(parts.join(''));
  const guide = '<rPh sb="0" eb="1"><t>ヨル</t></rPh><rPh sb="1" eb="1"/><phoneticPr fontId="1"/>';
  return isPhonetic ? text + guide : text;
}

/** Makes a workbook with a heading and these rows, whose shared texts begin with the unused ones. */
function workbook(rows: (WrittenText | null)[][], unused: WrittenText[]): Promise<Buffer> {
  const shared = unused.map(itemXml);
  const cell = (text: WrittenText | null): TestCell => {
    if (text === null) return null;
    if (text.isInline) return { xml: ` t="inlineStr"><is>${itemXml(text)}</is></c>` };
    shared.push(itemXml(text));
    return { xml: ` t="s"><v>${shared.length - 1}</v></c>` };
  };
  const heading = COLUMNS.map((name) => ({
    ...{ parts: [name], isRich: false, empty: '', isPhonetic: false, isInline: false },
  }));
  const files = workbookFiles([
    { name: 'Tracks', rows: [heading, ...rows].map((cells) => cells.map(cell)) },
    // Its text makes a part of shared texts.
    { name: 'Other', rows: [['x']] },
  ]);
  const items = shared.map((item) => (item === '' ? '<si/>' : `<si>${item}</si>`));
  files['xl/sharedStrings.xml'] = `<sst>${items.join('')}</sst>`;
  return archive(files);
}

async function read(content: Buffer): Promise<[position: number, record: unknown][]> {
  const path = join(folder, 'a.xlsx');
  await writeFile(path, content);
  const found: [number, unknown][] = [];
  for await (const batch of decodeXlsx(path, 'Tracks')) {
    for (const { position, value } of batch) found.push([position, { ...(value as object) }]);
  }
  return found;
}

describe('the texts of a workbook', () => {
  it('are read however they are written, and empty ones wherever they are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 6 }),
        fc.array(writtenText, { maxLength: 3 }),
        async (rows, unused) => {
          const expected = rows.flatMap((cells, at) => {
            const given = cells.flatMap((cell, column) =>
              cell === null || textOf(cell).trim() === '' ? [] : [[COLUMNS[column]!, textOf(cell)]],
            );
            return given.length === 0 ? [] : [[at + 2, Object.fromEntries(given)]];
          });
          expect(await read(await workbook(rows, unused))).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    ));

  it('may begin with an empty one', async () => {
    const text = { parts: ['Rain'], isRich: false, empty: '', isPhonetic: false, isInline: false };
    for (const empty of ['', '<t/>', '<t></t>']) {
      const content = await workbook([[text]], [{ ...text, parts: [], empty }]);
      expect(await read(content)).toEqual([[2, { c0: 'Rain' }]]);
    }
  });
});
