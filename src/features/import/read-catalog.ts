import { type Input, readBytes, textDecoding } from './decode/bytes.ts';
import { recordOfRow } from './decode/cells.ts';
import { decodeCsv, type Row } from './decode/csv.ts';
import { type Decoded, UnreadableError } from './decode/decoded.ts';
import { type Format, isTable } from './decode/format.ts';
import { type DocumentLists, decodeJsonDocument } from './decode/json-document.ts';
import { decodeJsonRecord, decodeNdjson } from './decode/json-record.ts';
import { nestedRecords, parseRecordsPath } from './decode/nested.ts';
import { decodeXlsx } from './decode/xlsx.ts';
import type { CompiledMapping } from './mapping/compile.ts';
import type { Mapping } from './mapping/mapping.ts';

export interface ReadOptions {
  /** Called with the number of bytes read of the file itself, compressed if the file is. */
  onRead?: ((bytes: number) => void) | undefined;
  /** Gets the lists of a JSON document. */
  lists?: DocumentLists;
  /** As that of `decodeCsv`. */
  keepEmpty?: boolean;
}

/** How a file is read: what a plan and a side file of a mapping have in common. */
export interface ReadableFile {
  file: Input;
  format: Format;
  mapping: { mapping: Pick<Mapping, 'encoding' | 'records'> } | null;
}

/** Reads the records of a planned file, without mapping them. */
export function readCatalog(
  { file, format, mapping }: ReadableFile,
  { onRead, lists, keepEmpty = false }: ReadOptions = {},
): AsyncGenerator<Decoded[]> {
  if (format.kind === 'xlsx') {
    const options = { ...format, keepEmpty, numbersColumns: mapping !== null, onRead };
    return decodeXlsx(file, format.sheet, options);
  }
  const { encoding, records } = mapping?.mapping ?? {};
  const bytes = readBytes(file, { onRead, encoding });
  const decodeText = textDecoding(encoding);
  const path = records === undefined ? undefined : parseRecordsPath(records);
  switch (format.kind) {
    case 'ndjson': {
      const lines = decodeNdjson(bytes, decodeText);
      return nestedRecords(lines, path?.ofLine ?? [], false);
    }
    case 'json': {
      if (format.isObject || path?.outer === null) {
        return nestedRecords(decodeJsonRecord(bytes, decodeText), path?.inner ?? [], true);
      }
      const found = decodeJsonDocument(bytes, decodeText, path?.outer, lists);
      return nestedRecords(found, path?.inner ?? [], true);
    }
    case 'csv':
      return decodeCsv(bytes, decodeText, format, { keepEmpty, numbersColumns: mapping !== null });
  }
}

/** Returns the note about the lists that were passed over, if there are any. */
export function passedOverNotes({ read = '', passedOver }: DocumentLists): string[] {
  if (passedOver.length === 0) return [];
  const others = passedOver.map((path) => `"${path.slice(0, 100)}"`).join(', ');
  const from = read === '' ? 'the document itself' : `"${read.slice(0, 100)}"`;
  return [
    `passed over the ${passedOver.length === 1 ? 'list' : 'lists'} ${others}: the records were read from ${from} (a mapping can name another list with \`records\`)`,
  ];
}

/** Returns the function that makes an import record, not yet validated, of a record of the file. */
export function recordMaker(
  mapping: CompiledMapping | null,
  format: Format,
): (record: object) => unknown {
  if (mapping !== null) return mapping.toRecord;
  return isTable(format) ? (row) => recordOfRow(row as Row, format.members) : (record) => record;
}

/** How many records decide about a file, and in how many batches: records may be long. */
export const SAMPLE = 1000;
const SAMPLE_BATCHES = 3;

/** Yields the first records of a file, and calls `onCut` if it stops before the end. */
export async function* firstRecords(
  from: AsyncGenerator<Decoded[]>,
  onCut: () => void = () => {},
): AsyncGenerator<Decoded[]> {
  let count = 0;
  let batches = 0;
  for await (const batch of from) {
    const part = batch.slice(0, SAMPLE - count);
    count += part.length;
    batches++;
    yield part;
    if (count === SAMPLE || batches === SAMPLE_BATCHES) {
      onCut();
      return;
    }
  }
}

/** Returns the first records, or the reason why none can be read. */
export async function sampleOf(
  from: AsyncGenerator<Decoded[]>,
  onCut?: () => void,
): Promise<Decoded[] | string> {
  const sample: Decoded[] = [];
  try {
    for await (const batch of firstRecords(from, onCut)) {
      sample.push(...batch);
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) {
      throw error;
    }
    if (sample.length === 0) {
      return error.message;
    }
  }
  return sample;
}

export interface ReadSample {
  records: readonly Decoded[];
  /** The lists of a JSON document. */
  lists: DocumentLists;
  isWhole: boolean;
}

/** Reads the first records of a file, or takes them of `batches`. Returns the reason if none can be read. */
export async function readSample(
  file: ReadableFile,
  { keepEmpty = false, batches }: { keepEmpty?: boolean; batches?: AsyncGenerator<Decoded[]> } = {},
): Promise<ReadSample | string> {
  const lists: DocumentLists = { read: undefined, passedOver: [] };
  let isWhole = true;
  const onCut = () => {
    isWhole = false;
  };
  const records = await sampleOf(batches ?? readCatalog(file, { lists, keepEmpty }), onCut);
  return typeof records === 'string' ? records : { records, lists, isWhole };
}
