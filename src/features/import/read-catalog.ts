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

export interface ReadListeners {
  /** Called with the number of bytes read of the file itself, compressed if the file is. */
  onRead?: (bytes: number) => void;
  onNote?: (note: string) => void;
  /** Called with the path of the list of a JSON document before its records; `""` is the document itself. */
  onList?: (path: string) => void;
}

/** How a file is read: what a plan and a side file of a mapping have in common. */
export interface ReadableFile {
  file: Input;
  format: Format;
  mapping: { mapping: Pick<Mapping, 'encoding' | 'records'> } | null;
}

/** Reads the records of a planned file, without mapping them. `keepEmpty` is that of `decodeCsv`. */
export function readCatalog(
  { file, format, mapping }: ReadableFile,
  { onRead, onNote, onList }: ReadListeners = {},
  keepEmpty = false,
): AsyncGenerator<Decoded[]> {
  if (format.kind === 'xlsx') {
    const options = { ...format, keepEmpty, numbersColumns: mapping !== null, onRead };
    return decodeXlsx(file, format.sheet, options);
  }
  const bytes = readBytes(file, onRead);
  const decodeText = textDecoding(mapping?.mapping.encoding);
  const { records } = mapping?.mapping ?? {};
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
      const onEnd = ({ read, passedOver }: DocumentLists) => {
        if (passedOver.length > 0) {
          onNote?.(passedOverNote(read, passedOver));
        }
      };
      const found = decodeJsonDocument(bytes, decodeText, path?.outer, onEnd, onList);
      return nestedRecords(found, path?.inner ?? [], true);
    }
    case 'csv':
      return decodeCsv(bytes, decodeText, format, { keepEmpty, numbersColumns: mapping !== null });
  }
}

function passedOverNote(read: string, passedOver: readonly string[]): string {
  const lists = passedOver.map((path) => `"${path.slice(0, 100)}"`).join(', ');
  const from = read === '' ? 'the document itself' : `"${read.slice(0, 100)}"`;
  return `passed over the ${passedOver.length === 1 ? 'list' : 'lists'} ${lists}: the records were read from ${from} (a mapping can name another list with \`records\`)`;
}

/** Returns the function that makes an import record, not yet validated, of a record of the file. */
export function recordMaker(
  mapping: CompiledMapping | null,
  format: Format,
): (record: object) => unknown {
  if (mapping !== null) return mapping.toRecord;
  return isTable(format) ? (row) => recordOfRow(row as Row) : (record) => record;
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
  /** The list of a JSON document that the records come from; undefined for other formats. */
  list: string | undefined;
  hasOthers: boolean;
  isWhole: boolean;
}

/** Reads the first records of a file, or takes them of `batches`. Returns the reason if none can be read. */
export async function readSample(
  file: ReadableFile,
  { keepEmpty, batches }: { keepEmpty?: boolean; batches?: AsyncGenerator<Decoded[]> } = {},
): Promise<ReadSample | string> {
  const read: ReadSample = { records: [], list: undefined, hasOthers: false, isWhole: true };
  const listeners = {
    onList: (path: string) => {
      read.list = path;
    },
    onNote: () => {
      read.hasOthers = true;
    },
  };
  const onCut = () => {
    read.isWhole = false;
  };
  const records = await sampleOf(batches ?? readCatalog(file, listeners, keepEmpty), onCut);
  return typeof records === 'string' ? records : { ...read, records };
}
