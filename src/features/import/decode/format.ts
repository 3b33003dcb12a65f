import { isObject } from '../../../common/text/json.ts';
import { type CsvForm, type CsvHints, recognizeCsv } from './csv-rows.ts';
import { NON_NUMBER } from './json-record.ts';
import type { SheetForm } from './xlsx.ts';

/** How many bytes decide about the format of a file. */
export const HEAD_BYTES = 64 * 1024;

export type Format =
  | { kind: 'ndjson' }
  /** `isObject` means that the document is a single record, not a list of records. */
  | { kind: 'json'; isObject: boolean }
  | ({ kind: 'csv' } & CsvForm & OwnColumns)
  /** A workbook of Excel. `sheet` is the name of the sheet; by default the first visible one with records. */
  | ({ kind: 'xlsx'; sheet?: string | undefined } & SheetForm & OwnColumns);

interface OwnColumns {
  /** The members of the record by the columns that name them in other letters. */
  members?: ReadonlyMap<string, string>;
}

/** Whether the records are rows of texts, by the names of a heading. */
export function isTable(format: Format): format is Format & OwnColumns {
  return format.kind === 'csv' || format.kind === 'xlsx';
}

/** The first bytes of a ZIP archive, which a workbook is. */
const ZIP = '504b0304';
/** The first bytes of an OLE2 file: a workbook before Excel 2007, or one that is encrypted. */
const OLE2 = 'd0cf11e0a1b11ae1';

/** Other kinds of file by their first bytes. Without this list each of their lines would be rejected. */
const OTHER_FILES: readonly (readonly [magic: string, what: string])[] = [
  ['fffe0000', 'is in UTF-32; save it as UTF-8'],
  ['0000feff', 'is in UTF-32; save it as UTF-8'],
  ['504b0506', 'is an empty ZIP archive'],
  ['1f8b', 'is compressed twice; unpack it once'],
  ['425a68', 'is compressed with bzip2; unpack it, or use gzip'],
  ['fd377a585a00', 'is compressed with xz; unpack it, or use gzip'],
  ['28b52ffd', 'is compressed with zstd; unpack it, or use gzip'],
  ['25504446', 'is a PDF'],
  ['53514c69746520666f726d6174', 'is an SQLite database; export its tracks as CSV or NDJSON'],
];

/** Texts that are not a catalog, or one of another kind, by how they begin. */
const OTHER_TEXTS: readonly (readonly [form: RegExp, what: string])[] = [
  [/^<(!doctype\s+html|html)\b/i, 'HTML'],
  [/^<[?!a-z]/i, 'XML'],
  // The header of a transmission: the type and number of the sender.
  [/^HDR[A-Z0-9]{2}\d{9}/, 'CWR (Common Works Registration)'],
  [/^\{\\rtf/, 'RTF'],
];

/**
 * Recognizes the format of a file by its first bytes (decompressed, without a byte order mark) and
 * its name. Returns a sentence if the format is not supported. `whole` means that the head is the
 * whole file, and `hints` what is known of a CSV file.
 */
export function recognizeFormat(
  head: Buffer,
  name: string,
  whole: boolean,
  hints: CsvHints = {},
): Format | string {
  const hex = head.subarray(0, 16).toString('hex');
  if (hex.startsWith(ZIP)) {
    return { kind: 'xlsx' };
  }
  if (hex.startsWith(OLE2)) {
    return head.includes(Buffer.from('EncryptedPackage', 'utf16le')) || /\.xls[xm]$/i.test(name)
      ? 'is an encrypted workbook; save it without a password'
      : 'is a document of an old Office, such as .xls; save it as .xlsx or CSV';
  }
  const other = OTHER_FILES.find(([magic]) => hex.startsWith(magic));
  if (other !== undefined) {
    return other[1];
  }
  if (head.subarray(0, 1024).includes(0)) {
    return 'is binary: neither NDJSON, JSON nor CSV';
  }
  const text = head.toString('latin1');
  const begin = text.trimStart();
  const first = begin[0];
  if (first === undefined) {
    return whole ? 'is empty' : 'begins with nothing but blanks';
  }
  const named = OTHER_TEXTS.find(([form]) => form.test(begin));
  if (named !== undefined) {
    return `is ${named[1]}, which is not read: export its tracks as NDJSON, JSON or CSV`;
  }
  const extension = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (first === '[') {
    return { kind: 'json', isObject: false };
  }
  if (extension === 'ndjson' || extension === 'jsonl') {
    return isRecordDocument(begin, whole) ? { kind: 'json', isObject: true } : { kind: 'ndjson' };
  }
  if (first === '{') {
    return holdsObjectLines(begin, whole)
      ? { kind: 'ndjson' }
      : { kind: 'json', isObject: isRecordDocument(begin, whole) };
  }
  if (extension === 'json' || begin.split('\n').some((line) => line.trimStart()[0] === '{')) {
    return { kind: 'ndjson' };
  }
  return { kind: 'csv', ...recognizeCsv(head, hints) };
}

/** Whether each line is a JSON object. `text` begins with a brace. */
function holdsObjectLines(text: string, whole: boolean): boolean {
  const lines = text.split('\n');
  if (!whole) {
    // The last line may be cut off.
    lines.pop();
  }
  const objects = lines.filter((line) => line.trim() !== '').map(objectOf);
  const [only] = objects;
  if (objects.length === 1 && only !== undefined) {
    return !holdsRecords(only);
  }
  // The first line of a document over several lines is not valid JSON. An invalid first record is
  // less likely. A line that does not end is a document: records are shorter.
  return (
    objects[0] !== undefined ||
    (objects.length > 0 &&
      objects.filter((value) => value !== undefined).length * 2 >= objects.length)
  );
}

/** Whether the whole text is one JSON object that contains no list of records. */
function isRecordDocument(text: string, whole: boolean): boolean {
  const value = whole && text.trimEnd().includes('\n') ? objectOf(text) : undefined;
  return value !== undefined && !holdsRecords(value);
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(NON_NUMBER, 'null'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How many objects may surround a list of records. */
const MAX_WRAPPERS = 8;

function holdsRecords(value: object, depth = 0): boolean {
  if ('name' in value || 'externalId' in value || 'id' in value || depth > MAX_WRAPPERS) {
    return false;
  }
  return Object.values(value).some(
    (inner) =>
      (Array.isArray(inner) && typeof inner[0] === 'object') ||
      (isObject(inner) && holdsRecords(inner, depth + 1)),
  );
}

/** Returns the format of a JSON document whose records are at a given path. */
export function withRecords(format: Format, records: string | undefined): Format {
  return format.kind === 'json' && records !== undefined ? { ...format, isObject: false } : format;
}
