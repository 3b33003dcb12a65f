import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A number with the index of its format in `FORMATS`, or another cell as its XML after `<c r="…"`. */
type Styled = readonly [value: number, format: number];
export type TestCell = string | number | boolean | null | Styled | { xml: string };

/**
 * The way a program writes: `excel` and `libreoffice` share texts, `google` leaves the spans out,
 * `bare` writes texts inline and no references, `prefixed` has a prefix in all names.
 */
export type Dialect = 'excel' | 'libreoffice' | 'google' | 'bare' | 'prefixed';

export interface TestSheet {
  name: string;
  rows: readonly (readonly TestCell[])[];
  state?: 'hidden' | 'veryHidden';
}

/** The formats of the tests: built-in numbers, or codes. */
const FORMATS: readonly (number | string)[] = [
  0,
  14,
  'yyyy\\-mm\\-dd hh:mm:ss',
  20,
  46,
  'mm:ss.0',
  '0.00%',
  '0000000000000',
  '[$-409]d\\-mmm\\-yy;@',
  '"day "#,##0.00',
  21,
  '[m]:ss',
  22,
  '[Red]0.00E+00',
];

/** Makes a ZIP archive of these files. */
export async function archive(
  files: Readonly<Record<string, string | Buffer>>,
  compressionLevel = 6,
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(content as string), name, { compressionLevel });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Makes the files of a workbook. */
export function workbookFiles(
  sheets: readonly TestSheet[],
  { dialect = 'excel', is1904 = false }: { dialect?: Dialect; is1904?: boolean } = {},
): Record<string, string> {
  const strings: string[] = [];
  const parts = sheets.map(({ rows }, i) => [
    `xl/worksheets/sheet${i + 1}.xml`,
    sheetXml(rows, dialect, strings),
  ]);
  const list = sheets.map(
    ({ name, state }, i) =>
      `<sheet name="${escaped(name)}" sheetId="${i + 7}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${i + 10}"/>`,
  );
  const relations = sheets.map((_, i) =>
    relation(i + 10, 'worksheet', `worksheets/sheet${i + 1}.xml`),
  );
  const target = dialect === 'google' ? '/xl/styles.xml' : 'styles.xml';
  const files: Record<string, string> = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relationsXml([relation(1, 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsXml([
      ...relations,
      relation(1, 'styles', target),
      ...(strings.length > 0 ? [relation(2, 'sharedStrings', 'sharedStrings.xml')] : []),
    ]),
    ...Object.fromEntries(parts),
    'xl/styles.xml': stylesXml(),
  };
  if (strings.length > 0) {
    const items = strings.map((text) => `<si><t xml:space="preserve">${text}</t></si>`);
    files['xl/sharedStrings.xml'] =
      `${HEAD}<sst xmlns="${MAIN}" count="${items.length}" uniqueCount="${items.length}">${items.join('')}</sst>`;
  }
  return dialect === 'prefixed' ? prefixed(files) : files;
}

/** Makes a workbook. */
export function xlsx(
  sheets: readonly TestSheet[],
  options?: { dialect?: Dialect; is1904?: boolean },
): Promise<Buffer> {
  return archive(workbookFiles(sheets, options));
}

function sheetXml(rows: TestSheet['rows'], dialect: Dialect, strings: string[]): string {
  const isBare = dialect === 'bare';
  const lines = rows.map((cells, at) => {
    const xml = cells.map((cell, column) => {
      const place = isBare ? '' : ` r="${letters(column)}${at + 1}"`;
      // What writes no references writes empty cells.
      return cell === null
        ? isBare
          ? '<c/>'
          : ''
        : `<c${place}${cellXml(cell, dialect, strings)}`;
    });
    const spans = dialect === 'excel' ? ` spans="1:${cells.length}"` : '';
    const height =
      dialect === 'libreoffice' ? ' customFormat="false" ht="12.8" hidden="false"' : '';
    return `<row${isBare ? '' : ` r="${at + 1}"`}${spans}${height}>${xml.join('')}</row>`;
  });
  const dimension = dialect === 'excel' ? '<dimension ref="A1:XFD1048576"/>' : '';
  return `${HEAD}<worksheet xmlns="${MAIN}">${dimension}<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetData>${lines.join('')}</sheetData><mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells></worksheet>`;
}

function cellXml(cell: Exclude<TestCell, null>, dialect: Dialect, strings: string[]): string {
  if (typeof cell === 'string') {
    if (dialect === 'bare') {
      return ` t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
    }
    strings.push(escaped(cell));
    return ` t="s"><v>${strings.length - 1}</v></c>`;
  }
  if (typeof cell === 'boolean') {
    return ` t="b"><v>${cell ? 1 : 0}</v></c>`;
  }
  if (typeof cell === 'number') {
    return `><v>${cell}</v></c>`;
  }
  return 'xml' in cell ? cell.xml : ` s="${cell[1]}"><v>${cell[0]}</v></c>`;
}

function stylesXml(): string {
  const custom = FORMATS.map((format, i) =>
    typeof format === 'string'
      ? `<numFmt numFmtId="${164 + i}" formatCode="${escaped(format)}"/>`
      : '',
  );
  const formats = FORMATS.map(
    (format, i) => `<xf numFmtId="${typeof format === 'string' ? 164 + i : format}" fontId="0"/>`,
  );
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${custom.join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${formats.join('')}</cellXfs></styleSheet>`;
}

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
}

function relationsXml(relations: readonly string[]): string {
  return `${HEAD}<Relationships xmlns="${PACKAGE}">${relations.join('')}</Relationships>`;
}

function prefixed(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, xml]) => [
      name,
      name.startsWith('xl/') && !name.endsWith('.rels')
        ? xml
            .replace(/<(\/?)(?=[a-zA-Z])/g, '<$1x:')
            .replace(`xmlns="${MAIN}"`, `xmlns:x="${MAIN}"`)
            .replaceAll(' r:id=', ' d2p1:id=')
            .replace('xmlns:r=', 'xmlns:d2p1=')
        : xml,
    ]),
  );
}

function letters(column: number): string {
  return column < 26
    ? String.fromCharCode(65 + column)
    : letters(Math.floor(column / 26) - 1) + letters(column % 26);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
