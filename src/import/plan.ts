import { readFile, stat } from 'node:fs/promises';
import { nearest } from '../common/nearest.ts';
import { OperatorError } from '../common/operator-error.ts';
import { readBytes, readHead } from './decode/bytes.ts';
import { recordOfRow } from './decode/cells.ts';
import { decodeCsv, type Row } from './decode/csv.ts';
import { type Decoded, UnreadableError } from './decode/decoded.ts';
import { type Format, recognizeFormat } from './decode/format.ts';
import { decodeJsonDocument } from './decode/json-document.ts';
import { decodeJsonRecord } from './decode/json-record.ts';
import { decodeNdjson } from './decode/ndjson.ts';
import { textDecoding } from './decode/text-decoding.ts';
import { type CompiledMapping, compileMapping } from './mapping/compile.ts';
import { parseMapping } from './mapping/mapping.ts';
import { CellProblem } from './mapping/rule.ts';
import { SHIPPED_MAPPINGS } from './mapping/shipped.ts';
import { RECORD_MEMBERS } from './record.ts';
import type { Rejection } from './rejection.ts';

/** How a catalog file is read, decided from its first records. */
export interface CatalogPlan {
  /** The path as named on the command line. */
  path: string;
  /** The file to read: the path itself, or the copy of what came through a pipe. */
  file: string;
  format: Format;
  /** Null if the records are in Stave's own form. */
  mapping: CompiledMapping | null;
  /** Notes for the operator about the decision. */
  notes: string[];
  /** The first row of a CSV file with all its columns, also those without a value. */
  firstRow?: Row;
}

/**
 * How many records decide about a file, and in how many batches at most, because records may be
 * long.
 */
const SAMPLE = 1000;
const SAMPLE_BATCHES = 3;
const HEAD_BYTES = 64 * 1024;
/** The largest mapping file that is read. */
const MAX_MAPPING_BYTES = 1024 * 1024;

/**
 * Loads the mapping of `--map`: a file, or the name of a shipped mapping. Throws OperatorError that
 * says what is wrong with it.
 */
export async function loadMapping(file: string): Promise<CompiledMapping> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > MAX_MAPPING_BYTES) {
      throw new OperatorError(`the mapping ${file} is larger than 1 MiB`);
    }
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof OperatorError) {
      throw error;
    }
    const shipped = SHIPPED_MAPPINGS.find(({ name }) => name === file);
    if (shipped !== undefined) {
      return shipped;
    }
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`cannot read the mapping ${file} (${code})`, { cause: error });
  }
  return compileMapping(parseMapping(text, file));
}

/**
 * Recognizes the format of a file and the mapping that fits its records best. Refuses the file with
 * one reason if it contains no track records. Reads up to a thousand records.
 */
export async function planCatalog(
  { path, file }: { path: string; file: string },
  given: CompiledMapping | null,
): Promise<CatalogPlan | Rejection> {
  const refusal = (reason: string, line: number | null = null, field = ''): Rejection => ({
    file: path,
    line,
    field,
    reason,
  });
  let head: Awaited<ReturnType<typeof readHead>>;
  try {
    head = await readHead(file, HEAD_BYTES);
  } catch (error) {
    if (error instanceof UnreadableError) {
      return refusal(error.message);
    }
    throw error;
  }
  const recognized = recognizeFormat(head.head, path, head.whole);
  if (typeof recognized === 'string') {
    return refusal(`the file ${recognized}; no track records were read`);
  }
  const format = asMapped(recognized, given);
  const plan: CatalogPlan = { path, file, format, mapping: given, notes: [] };
  const sample = await sampleOf(plan);
  if (typeof sample === 'string') {
    return refusal(`${sample}; no track records were found`);
  }
  const records = sample.map(({ value }) => value).filter(isRecord);
  plan.mapping ??= nearestMapping(format.kind, records);
  if (!records.some(trackTest(plan))) {
    const first = sample[0];
    return first !== undefined && records.length === 0
      ? refusal(
          `${first.problem ?? 'must be a JSON object'}; the file holds no track records`,
          first.position,
        )
      : refusal(noTracks(records, plan));
  }
  if (format.kind === 'csv') {
    plan.firstRow = records[0] as Row;
    if (plan.mapping === null) plan.notes.push(...columnNotes(plan.firstRow));
  }
  return plan;
}

/** Callbacks of a file that is being read. */
export interface ReadListeners {
  /** Called with the number of bytes read of the file itself, compressed if the file is. */
  onRead?: (bytes: number) => void;
  /** Called with a note about data that is ignored. */
  onNote?: (note: string) => void;
}

/** Reads the records of a planned file, without mapping them. `keepEmpty` is that of `decodeCsv`. */
export function readCatalog(
  { file, format, mapping }: Pick<CatalogPlan, 'file' | 'format' | 'mapping'>,
  { onRead, onNote }: ReadListeners = {},
  keepEmpty = false,
): AsyncGenerator<Decoded[]> {
  const bytes = readBytes(file, onRead);
  const decodeText = textDecoding(mapping?.mapping.encoding);
  switch (format.kind) {
    case 'ndjson':
      return decodeNdjson(bytes, decodeText);
    case 'json':
      return format.isRecord
        ? decodeJsonRecord(bytes, decodeText)
        : decodeJsonDocument(
            bytes,
            decodeText,
            mapping?.mapping.records,
            ({ read, passedOver }) => {
              if (passedOver.length > 0) {
                onNote?.(passedOverNote(read, passedOver));
              }
            },
          );
    case 'csv':
      return decodeCsv(bytes, decodeText, format.delimiter, keepEmpty);
  }
}

function passedOverNote(read: string, passedOver: readonly string[]): string {
  const lists = passedOver.map((path) => `"${path.slice(0, 100)}"`).join(', ');
  const from = read === '' ? 'the document itself' : `"${read.slice(0, 100)}"`;
  return `passed over the ${passedOver.length === 1 ? 'list' : 'lists'} ${lists}: the records were read from ${from} (a mapping can name another list with \`records\`)`;
}

/** Returns the function that makes an import record, not yet validated, of a record of the file. */
export function recordMaker({
  mapping,
  format,
}: Pick<CatalogPlan, 'mapping' | 'format'>): (record: object) => unknown {
  if (mapping !== null) {
    return mapping.toRecord;
  }
  return format.kind === 'csv' ? (row) => recordOfRow(row as Row) : (record) => record;
}

/** Returns the format with the delimiter or the list that the mapping names. */
function asMapped(format: Format, mapping: CompiledMapping | null): Format {
  const { delimiter, records } = mapping?.mapping ?? {};
  if (format.kind === 'csv' && delimiter !== undefined) {
    return { ...format, delimiter };
  }
  return format.kind === 'json' && records !== undefined ? { ...format, isRecord: false } : format;
}

/**
 * Returns the shipped mapping that fits most of the records; null if most are in Stave's own form.
 */
function nearestMapping(format: string, records: readonly object[]): CompiledMapping | null {
  let nearest: CompiledMapping | null = null;
  let most = 0;
  for (const mapping of SHIPPED_MAPPINGS) {
    const likeness = mapping.likeness(format, records);
    if (likeness > most) {
      nearest = mapping;
      most = likeness;
    }
  }
  return nearest;
}

/** Returns the first records, or the reason why none can be read. */
async function sampleOf(plan: CatalogPlan): Promise<Decoded[] | string> {
  const sample: Decoded[] = [];
  let batches = 0;
  try {
    for await (const batch of readCatalog(plan, {}, true)) {
      sample.push(...batch);
      batches++;
      if (sample.length >= SAMPLE || batches === SAMPLE_BATCHES) {
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) {
      throw error;
    }
    if (sample.length === 0) {
      return error.message;
    }
  }
  return sample.slice(0, SAMPLE);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a test for whether a record is meant as a track, however faulty: it has a member for the
 * name, or an id and any other member of a track.
 */
function trackTest(plan: CatalogPlan): (supplied: object) => boolean {
  const toRecord = recordMaker(plan);
  const names = plan.mapping?.readsOfField('name') ?? ['name'];
  return (supplied) => {
    if (names.some((name) => Object.hasOwn(supplied, name))) {
      return true;
    }
    let record: Record<string, unknown>;
    try {
      record = toRecord(supplied) as Record<string, unknown>;
    } catch (error) {
      if (error instanceof CellProblem) {
        return true;
      }
      throw error;
    }
    const told = RECORD_MEMBERS.filter((member) =>
      member === 'type' ? isType(record.type) : !isEmpty(record[member]),
    );
    return told.some((member) => IDS.includes(member)) && !told.every((it) => IDS.includes(it));
  };
}

const IDS = ['id', 'externalId'];

function isType(value: unknown): boolean {
  return value === 'music' || value === 'sfx';
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

function noTracks(records: readonly object[], { format, mapping }: CatalogPlan): string {
  const [record] = records;
  if (record === undefined) {
    return 'the file holds no track records';
  }
  const members = Object.keys(record)
    .slice(0, 8)
    .map((member) => member.slice(0, 60))
    .join(', ');
  const what = `its ${format.kind === 'csv' ? 'columns are' : 'records have'} ${members || 'no members'}`;
  const where = records.length < SAMPLE ? 'the file holds' : `the first ${SAMPLE} records are`;
  return mapping === null
    ? `${where} no track records: ${what}, and no known mapping reads those (see --map)`
    : `${where} no track records that the mapping ${mapping.name} can read: ${what}`;
}

/**
 * Returns a note for each column that the import record does not have, because it may be
 * misspelled.
 */
function columnNotes(row: Row): string[] {
  return Object.keys(row)
    .filter((column) => column !== '' && !RECORD_MEMBERS.includes(column))
    .map((column) => {
      const near = nearest(column, RECORD_MEMBERS);
      return `the column "${column}" is passed over${near === undefined ? '' : ` (did you mean ${near}?)`}`;
    });
}
