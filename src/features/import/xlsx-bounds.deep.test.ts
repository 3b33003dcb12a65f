import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportBench, openImportBench } from '../../../test/harness/import-bench.ts';
import { importOnce } from '../../../test/harness/import-once.ts';
import { archive, type TestSheet, workbookFiles } from './decode/xlsx.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const MiB = 1024 * 1024;
const PART = 'xl/worksheets/sheet1.xml';
const HEADING = ['externalId', 'name', 'type'];
// Incompressible, so that the file has half a megabyte.
const names = Array.from({ length: 500 }, () => randomBytes(600).toString('base64'));
const rows = [HEADING, ...names.map((name, i) => [`p${i}`, name, 'music'])];
const TRACKS: TestSheet = { name: 'Tracks', rows };

/** A workbook of 500 tracks, with XML that is repeated up to a size before the end of its rows. */
function flooded(xml: string, bytes = 15 * MiB): Record<string, string> {
  const files = workbookFiles([TRACKS]);
  const flood = xml.repeat(Math.ceil(bytes / xml.length));
  return { ...files, [PART]: files[PART]!.replace('</sheetData>', () => `${flood}</sheetData>`) };
}

function withStrings(xml: string): Record<string, string> {
  const files = workbookFiles([TRACKS]);
  const strings = files['xl/sharedStrings.xml']!;
  return { ...files, 'xl/sharedStrings.xml': strings.replace('</sst>', () => `${xml}</sst>`) };
}

const long = `<si><t>${'x'.repeat(60_000)}</t></si>`;
const shared = 3 * names.length + 3;
const repeatingText = () => ({
  ...withStrings(long),
  [PART]: flooded(`<row>${`<c t="s"><v>${shared}</v></c>`.repeat(10)}</row>`)[PART]!,
});
const HOSTILE: [string, () => Record<string, string>][] = [
  ['empty rows', () => flooded('<row/>')],
  ['empty cells', () => flooded(`<row>${'<c/>'.repeat(100_000)}</row>`)],
  ['cells of one row', () => flooded(`<row>${'<c><v>1</v></c>'.repeat(500_000)}</row>`)],
  ['records without a name', () => flooded('<row><c><v>1</v></c></row>')],
  [
    'equal records',
    () => flooded('<row><c><v>1</v></c><c t="str"><v>a</v></c><c t="str"><v>sfx</v></c></row>'),
  ],
  ['deep XML', () => flooded('<a>', 1000)],
  ['an endless text', () => flooded(`<row><c t="str"><v>${'x'.repeat(3 * MiB)}</v></c></row>`, 1)],
  ['an endless attribute', () => flooded(`<row r="${'1'.repeat(3 * MiB)}"/>`, 1)],
  ['short shared texts', () => withStrings('<si/>'.repeat(6 * MiB))],
  ['long shared texts', () => withStrings(long.repeat(300))],
  ['cells with a long shared text', () => repeatingText()],
  ['a ZIP bomb', () => flooded(`${'<row>'.padEnd(1000)}</row>`, 60 * MiB)],
];

describe('half a megabyte of the worst workbook', () => {
  it.each(HOSTILE)(
    'with %s is read with less than 300 MB and 30 s of processor time',
    async (_, files) => {
      const path = await bench.write('a.xlsx', await archive(files(), 9));
      const { peakMB, cpuSeconds, created, rejected } = await importOnce(bench, path);
      expect(created === 0 ? rejected : created).toBeGreaterThan(0);
      expect(cpuSeconds).toBeLessThan(30);
      expect(peakMB).toBeLessThan(300);
    },
    240_000,
  );

  it('whose cells repeat a long text is read up to a limit', async () => {
    const { rejections } = await bench.run([
      await bench.write('a.xlsx', await archive(repeatingText(), 9)),
    ]);
    expect(rejections.at(-1)!.reason).toContain(
      'the texts of the cells are more than 50 times the size of the file; the rest was not read',
    );
  });

  it('with thousands of files or sheets is refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, '']));
    const parts = await bench.write(
      'a.xlsx',
      await archive({ ...workbookFiles([TRACKS]), ...many }, 0),
    );
    expect((await bench.run([parts])).rejections[0]!.reason).toContain('more than 10000 files');
    const sheets = Array.from({ length: 1001 }, (_, i) => ({ name: `${i}`, rows: [HEADING] }));
    const path = await bench.write('b.xlsx', await archive(workbookFiles(sheets), 0));
    expect((await bench.run([path])).rejections[0]!.reason).toContain('more than 1000 sheets');
  });
});

describe('a workbook with damaged bytes', () => {
  /** Expects that each record is imported or rejected, or the file refused with a reason. */
  async function expectAccounted(content: Uint8Array) {
    const path = await bench.write('a.xlsx', content);
    const { summary, rejections } = await bench.run([path], { dryRun: true });
    const { created, updated, unchanged, rejected } = summary;
    expect(created + updated + unchanged + rejected).toBeGreaterThanOrEqual(1);
    expect(rejections).toHaveLength(rejected);
  }
  const few: TestSheet = { name: 'T', rows: rows.slice(0, 8) };
  const damage = fc.array(
    fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), cut: fc.boolean() }),
    { minLength: 1, maxLength: 6 },
  );
  function damaged(content: Buffer, places: readonly { at: number; byte: number; cut: boolean }[]) {
    let bytes = Buffer.from(content);
    for (const { at, byte, cut } of places) {
      if (bytes.length === 0) break;
      bytes[at % bytes.length] = byte;
      if (cut) {
        const from = (at * 7) % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + (byte % 5))]);
      }
    }
    return bytes;
  }

  it('of the archive is imported or refused', async () => {
    const stored = await archive(workbookFiles([few]), 0);
    const packed = await archive(workbookFiles([few]));
    await fc.assert(
      fc.asyncProperty(damage, fc.boolean(), (places, isStored) =>
        expectAccounted(damaged(isStored ? stored : packed, places)),
      ),
      { numRuns: 80 },
    );
  }, 240_000);

  it('of a part is imported or refused', async () => {
    const files = workbookFiles([few]);
    await fc.assert(
      fc.asyncProperty(damage, fc.constantFrom(...Object.keys(files)), async (places, name) =>
        expectAccounted(
          await archive({ ...files, [name]: damaged(Buffer.from(files[name]!), places) }),
        ),
      ),
      { numRuns: 80 },
    );
  }, 240_000);
});
