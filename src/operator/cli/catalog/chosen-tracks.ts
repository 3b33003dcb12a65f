import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import { readAtMost } from '../../../common/files.ts';
import { didYouMean } from '../../../common/text/explain.ts';
import { RowIdSet } from '../../../engines/search/row-id-set.ts';
import type { CsvForm } from '../../../features/import/decode/csv-rows.ts';
import type { Decoded } from '../../../features/import/decode/decoded.ts';
import { trackHint } from '../../../features/takedown/find-tracks.ts';
import type { TrackFinder } from '../../../features/takedown/store/track-finder.ts';
import type { Output } from '../terminal/output.ts';

export interface ChoiceOptions {
  isrc?: string[];
  source?: string;
  batch?: string;
  file?: string;
}

/** The names that one query looks up. */
const SLICE = 1_000;
/** The most unknown names in an error. */
const MAX_NAMED = 20;
/** The most unknown names in the notes before an error. */
const MAX_NOTED = 1_000;

interface GivenName {
  name: string;
  /** In the file of names. */
  line?: number;
}

/**
 * Returns the row ids of the chosen tracks, in the order in which they are named. Throws OperatorError for options that
 * choose nothing or contradict each other, and not_found with the unknown names.
 */
export async function chosenTracks(
  finder: TrackFinder,
  { names, options, stdin, output }: ChosenBy,
): Promise<number[]> {
  const { source, batch } = options;
  const isNamed = names.length > 0 || options.isrc !== undefined || options.file !== undefined;
  if ([source !== undefined, batch !== undefined, isNamed].filter(Boolean).length > 1) {
    throw new OperatorError('--source and --batch choose tracks alone: give nothing else');
  }
  const chosen = new Chosen();
  if (source !== undefined) {
    await requireSource(finder, source);
    for await (const rowIds of finder.ofSource(source)) chosen.add(rowIds);
  } else if (batch !== undefined) {
    for await (const rowIds of finder.ofBatch(batch.toLowerCase())) chosen.add(rowIds);
  } else {
    if (!isNamed)
      throw new OperatorError('name a track, or give --isrc, --file, --source or --batch');
    const inFile = options.file === undefined ? [] : await namesOfFile(options.file, stdin);
    const given: GivenName[] = [...names.map((name) => ({ name })), ...inFile];
    const unknown = await addNamed(chosen, given, (some) => finder.named(some));
    const isrcs = (options.isrc ?? []).map((name) => ({ name }));
    const unknownIsrcs = await addNamed(chosen, isrcs, (some) => finder.withIsrcs(some));
    await refuseUnknown(finder, unknown, unknownIsrcs, output);
  }
  return chosen.rowIds;
}

interface ChosenBy {
  /** Slugs, ids and ISRCs. */
  names: readonly string[];
  options: ChoiceOptions;
  stdin: Readable;
  output: Output;
}

/** Row ids without repetitions, in their order. */
class Chosen {
  readonly rowIds: number[] = [];
  readonly #known = new RowIdSet();

  add(rowIds: readonly number[]): void {
    for (const rowId of rowIds) {
      if (this.#known.has(rowId)) continue;
      this.#known.add(rowId);
      this.rowIds.push(rowId);
    }
  }
}

/** Returns the names that no track has. */
async function addNamed(
  chosen: Chosen,
  given: readonly GivenName[],
  find: (names: readonly string[]) => Promise<number[][]>,
): Promise<GivenName[]> {
  const unknown: GivenName[] = [];
  for (let from = 0; from < given.length; from += SLICE) {
    const some = given.slice(from, from + SLICE);
    const found = await find(some.map(({ name }) => name));
    for (const [place, rowIds] of found.entries()) {
      if (rowIds.length === 0) unknown.push(some[place]!);
      chosen.add(rowIds);
    }
  }
  return unknown;
}

async function refuseUnknown(
  finder: TrackFinder,
  unknown: readonly GivenName[],
  isrcs: readonly GivenName[],
  output: Output,
): Promise<void> {
  const all = [...unknown, ...isrcs];
  if (all.length === 0) return;
  if (all.length > MAX_NAMED) {
    for (const one of all.slice(0, MAX_NOTED)) output.note(`not found: ${shown(one)}`);
    if (all.length > MAX_NOTED) output.note(`… and ${all.length - MAX_NOTED} more`);
  }
  const hint = unknown.length === 1 ? await trackHint(finder, unknown[0]!.name) : '';
  const sentences = [
    unknown.length > 0 && `There is no track ${joined(unknown)}${hint}.`,
    isrcs.length > 0 && `No track has the ISRC ${joined(isrcs)}.`,
  ];
  throw new StaveError('not_found', sentences.filter((one) => one !== false).join(' '));
}

function joined(names: readonly GivenName[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).map(shown).join(', ')}${more}`;
}

function shown({ name, line }: GivenName): string {
  return line === undefined ? name : `${name} (line ${line})`;
}

const MAX_BYTES = 16_000_000;
const MAX_NAMES = 100_000;
const GZIP = [0x1f, 0x8b];
/** The columns of a CSV file that name a track. The first one with a value counts. */
const COLUMNS = ['id', 'slug', 'isrc', 'track'];

/**
 * Reads the names of tracks from a file or standard input: one in each line, or CSV whose heading has a column of
 * COLUMNS. Recognizes the format as an import does. Throws OperatorError for a file that cannot be read, is of another
 * format, is too large or names nothing.
 */
async function namesOfFile(path: string, stdin: Readable): Promise<GivenName[]> {
  const { withoutMark } = await import('../../../features/import/decode/bytes.ts');
  const { HEAD_BYTES, recognizeFormat } = await import('../../../features/import/decode/format.ts');
  const isInput = path === '-';
  const shown = isInput ? 'standard input' : path;
  const bytes = withoutMark(await bytesOf(isInput ? stdin : createReadStream(path), shown));
  if (bytes[0] === GZIP[0] && bytes[1] === GZIP[1]) {
    throw new OperatorError(`${shown} is compressed with gzip; unpack it`);
  }
  const format = /\S/.test(bytes.toString('latin1'))
    ? recognizeFormat(bytes.subarray(0, HEAD_BYTES), path, bytes.length <= HEAD_BYTES)
    : 'names no track';
  if (typeof format === 'string') throw new OperatorError(`${shown} ${format}`);
  if (format.kind !== 'csv') {
    const what = format.kind === 'xlsx' ? 'a workbook' : 'JSON';
    throw new OperatorError(`${shown} is ${what}; save it as CSV, or write one name in each line`);
  }
  const lines = bytes.toString().split(format.endsWithCr ? '\r' : '\n');
  const heading = lines[format.headingLine - 1] ?? '';
  const isTable = heading.split(format.delimiter).some((cell) => COLUMNS.includes(columnOf(cell)));
  const names = isTable
    ? await namesOfCsv(bytes, format, shown)
    : lines.map((line, place) => ({ name: line.trim(), line: place + 1 }));
  const found = names.filter(({ name }) => name !== '');
  if (found.length === 0) throw new OperatorError(`${shown} names no track`);
  if (found.length > MAX_NAMES) {
    throw new OperatorError(`${shown} names more than ${MAX_NAMES} tracks: divide it`);
  }
  return found;
}

async function bytesOf(stream: Readable, shown: string): Promise<Buffer> {
  const bytes = await readAtMost(stream, MAX_BYTES).catch((error: Error) => {
    throw new OperatorError(`cannot read ${shown}: ${error.message}`);
  });
  if (bytes === undefined) throw new OperatorError(`${shown} has more than ${MAX_BYTES} bytes`);
  return bytes;
}

function columnOf(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase();
}

async function namesOfCsv(bytes: Buffer, form: CsvForm, shown: string): Promise<GivenName[]> {
  const { decodeCsv } = await import('../../../features/import/decode/csv.ts');
  const { UnreadableError } = await import('../../../features/import/decode/decoded.ts');
  const { textDecoding } = await import('../../../features/import/decode/bytes.ts');
  async function* chunks() {
    yield bytes;
  }
  const names: GivenName[] = [];
  const rows = decodeCsv(chunks(), textDecoding(undefined), form, { numbersColumns: true });
  try {
    for await (const batch of rows) names.push(...batch.map((row) => nameOfRow(row, shown)));
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new OperatorError(`${shown}, line ${error.position}: ${error.message}`);
  }
  return names;
}

function nameOfRow({ position, value, problem }: Decoded, shown: string): GivenName {
  if (problem !== null) throw new OperatorError(`${shown}, line ${position}: ${problem}`);
  const cells = new Map(
    Object.entries(value as Record<string, string>).map(([column, cell]) => [
      columnOf(column),
      cell.trim(),
    ]),
  );
  const name = COLUMNS.map((column) => cells.get(column) ?? '').find((cell) => cell !== '');
  if (name === undefined) {
    throw new OperatorError(`${shown}, line ${position}: no slug, id or ISRC`);
  }
  return { name, line: position };
}

const MAX_SOURCES = 10;

/** Throws OperatorError unless a track has this source. */
export async function requireSource(
  finder: Pick<TrackFinder, 'sources'>,
  source: string,
): Promise<void> {
  const sources = await finder.sources();
  if (sources.includes(source)) return;
  throw new OperatorError(`No track has the source ${source}${sourceHint(source, sources)}.`);
}

function sourceHint(source: string, sources: readonly string[]): string {
  const near = didYouMean(source, sources);
  if (near !== '') return near;
  if (sources.length === 0) return ': there are no tracks';
  const more = sources.length > MAX_SOURCES ? ' and others' : '';
  return `: the sources are ${sources.slice(0, MAX_SOURCES).join(', ')}${more}`;
}
