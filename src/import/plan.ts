import { readFile } from 'node:fs/promises';
import { nearest } from '../kernel/nearest.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import { readBytes, readHead } from './decode/bytes.ts';
import { recordOfRow } from './decode/cells.ts';
import { decodeCsv, type Row } from './decode/csv.ts';
import { type Decoded, UnreadableError } from './decode/decoded.ts';
import { type Format, recogniseFormat } from './decode/format.ts';
import { decodeJsonDocument } from './decode/json-document.ts';
import { decodeNdjson } from './decode/ndjson.ts';
import { textDecoding } from './decode/text-decoding.ts';
import { type CompiledMapping, compileMapping } from './mapping/compile.ts';
import { parseMapping } from './mapping/mapping.ts';
import { CellProblem } from './mapping/rule.ts';
import { SHIPPED_MAPPINGS } from './mapping/shipped.ts';
import { RECORD_MEMBERS } from './record.ts';
import type { Rejection } from './rejection.ts';

/** How a catalog file is going to be read, decided from its first records. */
export interface CatalogPlan {
  path: string;
  format: Format;
  /** Null where the records are in Stave's own form. */
  mapping: CompiledMapping | null;
  /** What the operator may want to know of the decision. */
  notes: string[];
}

/** How many records are looked at before a file is judged. */
const SAMPLE = 100;
const HEAD_BYTES = 64 * 1024;

/** The mapping of `--map`: a file, or the name of a shipped one. Throws OperatorError naming what is wrong with it. */
export async function loadMapping(file: string): Promise<CompiledMapping> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
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
 * Recognises a file's format and mapping, or refuses it with one reason where it holds no track
 * records at all. Reads a hundred records.
 */
export async function planCatalog(
  path: string,
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
    head = await readHead(path, HEAD_BYTES);
  } catch (error) {
    if (error instanceof UnreadableError) {
      return refusal(error.message);
    }
    throw error;
  }
  const recognised = recogniseFormat(head.head, path, head.whole);
  if (typeof recognised === 'string') {
    return refusal(`the file ${recognised}; it holds no track records`);
  }
  const format = withDelimiter(recognised, given);
  const plan: CatalogPlan = { path, format, mapping: given, notes: [] };
  const sample = await sampleOf(plan);
  if (typeof sample === 'string') {
    return refusal(`${sample}; no track records were found`);
  }
  const records = sample.map(({ value }) => value).filter(isRecord);
  plan.mapping ??=
    SHIPPED_MAPPINGS.find((mapping) => mapping.recognises(format.kind, records)) ?? null;
  const toRecord = recordMaker(plan);
  if (!records.some((record) => isTrackLike(record, toRecord))) {
    const first = sample[0];
    return first !== undefined && records.length === 0
      ? refusal(
          `${first.problem ?? 'must be a JSON object'}; the file holds no track records`,
          first.position,
        )
      : refusal(noTracks(records[0], plan));
  }
  if (plan.mapping === null && format.kind === 'csv') {
    plan.notes.push(...columnNotes(records[0] as Row));
  }
  return plan;
}

/** The records of a planned file as they stand in it. */
export function readCatalog(
  { path, format, mapping }: CatalogPlan,
  onRead?: (bytes: number) => void,
): AsyncGenerator<Decoded[]> {
  const bytes = readBytes(path, onRead);
  const decodeText = textDecoding(mapping?.mapping.encoding);
  switch (format.kind) {
    case 'ndjson':
      return decodeNdjson(bytes, decodeText);
    case 'json':
      return decodeJsonDocument(bytes, decodeText, mapping?.mapping.records);
    case 'csv':
      return decodeCsv(bytes, decodeText, format.delimiter);
  }
}

/** What turns a record of the file into an import record, not yet validated. */
export function recordMaker({ mapping, format }: CatalogPlan): (record: object) => unknown {
  if (mapping !== null) {
    return mapping.toRecord;
  }
  return format.kind === 'csv' ? (row) => recordOfRow(row as Row) : (record) => record;
}

function withDelimiter(format: Format, mapping: CompiledMapping | null): Format {
  const delimiter = mapping?.mapping.delimiter;
  return format.kind === 'csv' && delimiter !== undefined ? { ...format, delimiter } : format;
}

/** The first records, or why not even one could be read. */
async function sampleOf(plan: CatalogPlan): Promise<Decoded[] | string> {
  const sample: Decoded[] = [];
  try {
    for await (const batch of readCatalog(plan)) {
      sample.push(...batch);
      if (sample.length >= SAMPLE) {
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

/** Whether anybody could have meant the record as a track, however faulty it is. */
function isTrackLike(supplied: object, toRecord: (record: object) => unknown): boolean {
  let record: unknown;
  try {
    record = toRecord(supplied);
  } catch (error) {
    if (error instanceof CellProblem) {
      return true;
    }
    throw error;
  }
  const { name, id, externalId, type } = record as Record<string, unknown>;
  const isNamed = typeof name === 'string' || typeof name === 'number';
  return isNamed || ((id ?? externalId ?? '') !== '' && (type === 'music' || type === 'sfx'));
}

function noTracks(record: object | undefined, { format, mapping }: CatalogPlan): string {
  if (record === undefined) {
    return 'the file holds no track records';
  }
  const members = Object.keys(record).slice(0, 8).join(', ');
  const what = `its ${format.kind === 'csv' ? 'columns are' : 'records have'} ${members || 'no members'}`;
  return mapping === null
    ? `the file holds no track records: ${what}, and no known mapping reads those (see --map)`
    : `the file holds no track records that the mapping ${mapping.name} can read: ${what}`;
}

/** Columns that the record does not have are passed over; a misspelt one should not go unnoticed. */
function columnNotes(row: Row): string[] {
  return Object.keys(row)
    .filter((column) => column !== '' && !RECORD_MEMBERS.includes(column))
    .map((column) => {
      const near = nearest(column, RECORD_MEMBERS);
      return `the column "${column}" is passed over${near === undefined ? '' : ` (did you mean ${near}?)`}`;
    });
}
