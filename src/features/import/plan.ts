import { didYouMean } from '../../common/text/explain.ts';
import { isObject } from '../../common/text/json.ts';
import { trackMaker } from './canonical/track.ts';
import { readHead } from './decode/bytes.ts';
import type { Row } from './decode/csv.ts';
import type { CsvHints } from './decode/csv-rows.ts';
import { type Decoded, UnreadableError } from './decode/decoded.ts';
import { type Format, HEAD_BYTES, isTable, recognizeFormat, withRecords } from './decode/format.ts';
import { decodeSheet, sheetsToRead } from './decode/xlsx.ts';
import { Workbook } from './decode/xlsx-workbook.ts';
import { fileRejection, type Rejection } from './item.ts';
import { forColumns, membersByColumn } from './mapping/columns.ts';
import type { CompiledMapping } from './mapping/compile.ts';
import { SHIPPED_MAPPINGS } from './mapping/load.ts';
import { attempt, CellProblem, reader } from './mapping/members.ts';
import { type ReadableFile, readCatalog, recordMaker, SAMPLE, sampleOf } from './read-catalog.ts';
import { RECORD_MEMBERS } from './record.ts';

export interface CatalogPlan extends ReadableFile {
  path: string;
  file: string;
  /** The encoding if it is UTF-16. */
  utf16: string | undefined;
  /** Null if the records are in Stave's own form. */
  mapping: CompiledMapping | null;
  notes: string[];
  /** Whether the mapping came with Stave: it then names columns that some suppliers do not have. */
  isShipped: boolean;
  /** The first row of a table with all its columns, also those without a value. */
  firstRow?: Row;
}

export type Decide = (
  plan: CatalogPlan,
  batches: AsyncGenerator<Decoded[]>,
) => Promise<CatalogPlan | Rejection>;

/**
 * Recognizes the format of a file and the mapping that fits its records best. Refuses the file with
 * one reason if it contains no track records. Reads up to a thousand records. `decide` replaces the
 * choice of the mapping.
 */
export async function planCatalog(
  { path, file }: { path: string; file: string },
  given: CompiledMapping | null,
  decide: Decide = planRecords,
): Promise<CatalogPlan | Rejection> {
  const head = await attemptToRead(() => readHead(file, HEAD_BYTES, given?.mapping.encoding));
  if (typeof head === 'string') return fileRejection(path, head);
  const recognized = recognizeFormat(head.head, path, head.whole, csvHints(given));
  if (typeof recognized === 'string') {
    return fileRejection(path, `the file ${recognized}; no track records were read`);
  }
  const format = asMapped(recognized, given);
  const isShipped = given === null || SHIPPED_MAPPINGS.includes(given);
  const { utf16 } = head;
  const plan: CatalogPlan = { path, file, format, utf16, mapping: given, isShipped, notes: [] };
  if (format.kind === 'csv' && format.hasTitles) {
    plan.notes.push(
      `the heading is line ${format.headingLine}; the lines above it are passed over`,
    );
  }
  if (format.kind !== 'xlsx') return decide(plan, readCatalog(plan, { keepEmpty: true }));
  const planned = await attemptToRead(() => planWorkbook(plan, format, decide));
  return typeof planned === 'string'
    ? fileRejection(path, `${planned}; no track records were read`)
    : planned;
}

/** Returns what `read` returns, or why the file cannot be read. */
async function attemptToRead<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableError) return error.message;
    throw error;
  }
}

const MAX_SHEETS = 50;

/**
 * Decides about a workbook: reads the sheet of this name, or the first visible one that holds track
 * records. A refusal is that of the first sheet that holds any records.
 */
async function planWorkbook(
  plan: CatalogPlan,
  format: Format & { kind: 'xlsx' },
  decide: Decide,
): Promise<CatalogPlan | Rejection> {
  await using workbook = await Workbook.open(plan.file);
  const sheets = sheetsToRead(workbook, format.sheet);
  let refusal = fileRejection(plan.path, NO_RECORDS);
  for (const sheet of sheets.slice(0, MAX_SHEETS)) {
    const attempted: CatalogPlan = { ...plan, format: { ...format, sheet: sheet.name } };
    const options = { ...format, keepEmpty: true, numbersColumns: plan.mapping !== null };
    const made = await decide(attempted, decodeSheet(workbook, sheet, options));
    if ('format' in made) {
      const others = sheets.filter((other) => other !== sheet);
      if (others.length > 0) made.notes.push(sheetNote(sheet.name, others));
      return made;
    }
    refusal = refusal.reason === NO_RECORDS ? made : refusal;
  }
  return refusal;
}

function sheetNote(read: string, others: readonly { name: string }[]): string {
  const names = others.slice(0, 10).map(({ name }) => `"${name.slice(0, 60)}"`);
  const more = others.length > 10 ? ` and ${others.length - 10} more` : '';
  return `read the sheet "${read.slice(0, 60)}" and passed over ${names.join(', ')}${more} (a mapping can name another sheet with \`sheet\`)`;
}

async function planRecords(
  plan: CatalogPlan,
  batches: AsyncGenerator<Decoded[]>,
): Promise<CatalogPlan | Rejection> {
  const { path, format } = plan;
  const sample = await sampleOf(batches);
  if (typeof sample === 'string') {
    return fileRejection(path, `${sample}; no track records were found`);
  }
  const records = sample.map(({ value }) => value).filter(isObject);
  if (plan.isShipped) recognize(plan, records);
  if (!records.some(trackTest(plan))) {
    const first = sample[0];
    return first !== undefined && records.length === 0
      ? fileRejection(
          path,
          `${first.problem ?? 'must be a JSON object'}; the file holds no track records`,
          first.position,
        )
      : fileRejection(path, noTracks(records, plan));
  }
  if (isTable(format)) {
    plan.firstRow = records[0] as Row;
    plan.notes.push(
      ...(plan.mapping === null
        ? columnNotes(plan.firstRow, plan.format)
        : territoryNotes(plan.firstRow, plan.mapping)),
    );
  }
  return plan;
}

/** Returns the format with the sheet, the list or the form of rows that the mapping names. */
function asMapped(format: Format, mapping: CompiledMapping | null): Format {
  const { records, sheet, headingLine, firstRecordLine, lastColumnIsList } = mapping?.mapping ?? {};
  if (format.kind === 'xlsx') {
    return { ...format, sheet: sheet ?? format.sheet, headingLine, firstRecordLine };
  }
  if (format.kind === 'csv') {
    return { ...format, firstRecordLine, lastColumnIsList };
  }
  return withRecords(format, records);
}

/**
 * Chooses the shipped mapping that fits most of the records and takes one of them, or Stave's own form. Headings are
 * compared exactly first, so that a file whose exact headings one form takes never becomes another mapping's, whose
 * ids differ. Where none takes any record, it is the mapping that fits most, whose rejections say what is wrong.
 */
function recognize(plan: CatalogPlan, records: readonly object[]): void {
  const { format } = plan;
  const columns = isTable(format) ? Object.keys(records[0] ?? {}) : [];
  if (plan.mapping !== null) {
    plan.mapping = forColumns(plan.mapping, columns);
    return;
  }
  const fittingOf = (mappings: readonly CompiledMapping[]) =>
    mappings
      .map((mapping) => ({ mapping, likeness: mapping.likeness(format.kind, records) }))
      .filter(({ likeness }) => likeness > 0)
      .toSorted((one, other) => other.likeness - one.likeness)
      .map(({ mapping }) => mapping);
  const isTaking = (mapping: CompiledMapping | null) => takesAny(plan, mapping, records);
  const exact = fittingOf(SHIPPED_MAPPINGS);
  const exactBest = exact.find(isTaking);
  if (exactBest !== undefined || isTaking(null)) {
    // Its other columns may be there in other letters.
    plan.mapping = exactBest === undefined ? null : forColumns(exactBest, columns);
    return;
  }
  const similar = fittingOf(SHIPPED_MAPPINGS.map((mapping) => forColumns(mapping, columns)));
  const similarBest = similar.find(isTaking);
  const folded = { ...format, members: membersByColumn(columns) };
  if (similarBest !== undefined) {
    plan.mapping = similarBest;
  } else if (isTable(format) && takesAny({ ...plan, format: folded }, null, records)) {
    plan.format = folded;
  } else {
    plan.mapping = exact[0] ?? similar[0] ?? null;
  }
}

/** Whether one of the records becomes a valid track, if it lacks nothing but its type. */
function takesAny(
  { format }: CatalogPlan,
  mapping: CompiledMapping | null,
  records: readonly object[],
): boolean {
  const toRecord = recordMaker(mapping, format);
  const toTrack = trackMaker({ source: 'sample', type: 'music' });
  return records.some((supplied) => {
    const record = attempt(() => toRecord(supplied));
    return !(record instanceof CellProblem) && toTrack(record).delivery !== null;
  });
}

/** Whether a record is meant as a track: it has a name, or an id and any other member. */
function trackTest(plan: CatalogPlan): (supplied: object) => boolean {
  const toRecord = recordMaker(plan.mapping, plan.format);
  const names = (plan.mapping?.readsOfField('name') ?? ['name']).map(reader);
  return (supplied) => {
    if (names.some((read) => read(supplied) !== undefined)) {
      return true;
    }
    const record = attempt(() => toRecord(supplied) as Record<string, unknown>);
    if (record instanceof CellProblem) return true;
    const given = RECORD_MEMBERS.filter((member) =>
      member === 'type' ? ['music', 'sfx'].includes(`${record.type}`) : !isEmpty(record[member]),
    );
    return given.some((member) => IDS.includes(member)) && !given.every((it) => IDS.includes(it));
  };
}

const IDS = ['id', 'externalId'];

function isEmpty(value: unknown): boolean {
  return (value ?? '') === '' || (Array.isArray(value) && value.length === 0);
}

export const NO_RECORDS = 'the file holds no track records';

function noTracks(records: readonly object[], { format, mapping }: CatalogPlan): string {
  const [record] = records;
  if (record === undefined) {
    return NO_RECORDS;
  }
  const members = Object.keys(record)
    .slice(0, 8)
    .map((member) => member.slice(0, 60))
    .join(', ');
  const what = `its ${isTable(format) ? 'columns are' : 'records have'} ${members || 'no members'}`;
  const where = records.length < SAMPLE ? 'the file holds' : `the first ${SAMPLE} records are`;
  const advice = format.kind === 'json' ? '; `records` of a mapping names another list' : '';
  return mapping === null
    ? `${where} no track records: ${what}, and no known mapping reads those (--suggest-map writes a first one)`
    : `${where} no track records that the mapping ${mapping.name} can read: ${what}${advice}`;
}

/** Words beside `territory` that speak of the shares of a party, or of its society. */
const OTHER_TERRITORIES =
  /share|collect|publish|writer|composer|party|society|\bpro\b|affiliat|royalt|split|control|owner/i;

function territoryNotes(row: Row, { name, reads }: CompiledMapping): string[] {
  return Object.keys(row)
    .filter(
      (column) => /territor/i.test(column) && !OTHER_TERRITORIES.test(column) && !reads.has(column),
    )
    .map(
      (column) =>
        `the mapping ${name} does not read the column "${column.slice(0, 60)}": the tracks are available everywhere`,
    );
}

/** Returns a note for each column that the import record does not have: it may be misspelled. */
function columnNotes(row: Row, format: Format): string[] {
  const members = isTable(format) ? format.members : undefined;
  return Object.keys(row)
    .filter((column) => column !== '' && !RECORD_MEMBERS.includes(column) && !members?.has(column))
    .map((column) => `the column "${column}" is passed over${didYouMean(column, RECORD_MEMBERS)}`);
}

/** Returns what the mapping, or Stave's own form and the shipped mappings, tell of a CSV file. */
function csvHints(given: CompiledMapping | null): CsvHints {
  if (given !== null) {
    const { delimiter, headingLine, encoding } = given.mapping;
    return { delimiter, headingLine, encoding, columns: given.reads };
  }
  return {
    columns: new Set([...RECORD_MEMBERS, ...SHIPPED_MAPPINGS.flatMap(({ reads }) => [...reads])]),
  };
}
