import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { OperatorError } from '../../../common/errors.ts';
import { openRegularFile } from '../../../common/files.ts';
import { meaningOf } from '../../../common/text/explain.ts';
import { isObject } from '../../../common/text/json.ts';
import { chunksOf, readHead } from '../decode/bytes.ts';
import { UnreadableError } from '../decode/decoded.ts';
import { HEAD_BYTES, recognizeFormat, withRecords } from '../decode/format.ts';
import catalogDump from '../mappings/catalog-dump.json' with { type: 'json' };
import fmaTracks from '../mappings/fma-tracks.json' with { type: 'json' };
import harvest from '../mappings/harvest.json' with { type: 'json' };
import rules from '../mappings/isrc-sheet.json' with { type: 'json' };
import sourceaudio from '../mappings/sourceaudio.json' with { type: 'json' };
import { readCatalog } from '../read-catalog.ts';
import { type CompiledMapping, compileMapping } from './compile.ts';
import sheets from './isrc-sheets.json' with { type: 'json' };
import type { Lookup, Mapping } from './mapping.ts';
import { lookupsOf, reader, rulesOf } from './members.ts';
import { parseMapping } from './parse-mapping.ts';
import { keyText, type Lookups, type LookupTable } from './rule.ts';

const MAX_MAPPING_BYTES = 1024 * 1024;

/**
 * Loads the mapping of `--map` with its side files: a regular file, or the name of a shipped mapping. Throws OperatorError
 * that says what is wrong with it, without anything that the file contains: it may be the wrong one, with secrets.
 *
 * @param beneath the folder that must contain the file, to which its path may be relative; by default any folder may
 */
export async function loadMapping(file: string, beneath?: string): Promise<CompiledMapping> {
  const path = beneath === undefined ? file : resolve(beneath, file);
  const name = `the mapping ${file}`;
  let bytes: Buffer;
  try {
    bytes = await readStart(path, { name, beneath });
  } catch (error) {
    const shipped = SHIPPED_MAPPINGS.find((one) => one.name === file);
    if (shipped !== undefined) {
      return shipped;
    }
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
      const names = SHIPPED_MAPPINGS.map((one) => one.name).join(', ');
      throw new OperatorError(
        `cannot read ${name}: there is no such file, and the shipped mappings are ${names}`,
        { cause: error },
      );
    }
    throw error;
  }
  if (bytes.length > MAX_MAPPING_BYTES) {
    throw new OperatorError(`${name} is larger than 1 MiB`);
  }
  const mapping = parseMapping(new TextDecoder().decode(bytes), file);
  return compileMapping(mapping, await loadSideFiles(mapping, path));
}

/** Reads one byte more than a mapping may have, whatever size the system reports. */
async function readStart(
  path: string,
  options: { name: string; beneath: string | undefined },
): Promise<Buffer> {
  await using file = await openRegularFile(path, options);
  try {
    return await buffer(chunksOf(file, 0, MAX_MAPPING_BYTES + 1));
  } catch (cause) {
    throw new OperatorError(`cannot read ${options.name}: ${meaningOf(cause)}`, { cause });
  }
}

/** The approximate memory of all side files of a mapping. */
const MAX_BYTES = 48 * 1024 * 1024;
/** The approximate memory of a key and the list of its values. */
const ENTRY_BYTES = 150;

/**
 * Reads the side files of a mapping: regular files in its folder or below, which no link leaves. Throws OperatorError that
 * names the file and the problem: a side file is read as a whole, or not at all.
 */
async function loadSideFiles(mapping: Mapping, mappingFile: string): Promise<Lookups> {
  const tables = new Map<string, LookupTable>();
  const budget = { bytes: MAX_BYTES };
  for (const { where, rule } of rulesOf(mapping)) {
    for (const lookup of lookupsOf(rule)) {
      const identity = JSON.stringify(lookup);
      if (!tables.has(identity)) {
        const name = `the side file ${lookup.file} of the mapping ${mappingFile} (${where})`;
        tables.set(identity, await loadTable(lookup, { mappingFile, name, budget }));
      }
    }
  }
  return (lookup) => tables.get(JSON.stringify(lookup))!;
}

async function loadTable(
  lookup: Lookup,
  context: { mappingFile: string; name: string; budget: { bytes: number } },
): Promise<LookupTable> {
  const { name, budget } = context;
  const table = new Map<string, unknown[]>();
  const readKey = reader(lookup.key);
  const readTaken = lookup.take === undefined ? undefined : reader(lookup.take);
  let hasRows = false;
  let hasTaken = false;
  for await (const { position, value, problem, damaged, sizeBytes } of rowsOf(lookup, context)) {
    const where = `${name}, line ${position}`;
    const [column, fault] = damaged === null ? [] : [...damaged][0]!;
    if (problem !== null || fault !== undefined) {
      throw new OperatorError(`${where}: ${problem ?? `${column} ${fault}`}`);
    }
    if (!isObject(value)) {
      throw new OperatorError(`${where} is no object`);
    }
    hasRows = true;
    const key = keyText(readKey(value));
    if (key === undefined) {
      continue;
    }
    const taken = readTaken === undefined ? value : readTaken(value);
    if (taken === undefined || taken === null || taken === '') {
      continue;
    }
    hasTaken = true;
    budget.bytes -=
      ENTRY_BYTES +
      (readTaken !== undefined && typeof taken === 'string' ? taken.length : sizeBytes);
    if (budget.bytes < 0) {
      const limit = `${MAX_BYTES / 1024 / 1024} MiB of memory`;
      throw new OperatorError(`${where}: the side files of a mapping may take ${limit}`);
    }
    const values = table.get(key);
    if (values === undefined) {
      table.set(key, Array.isArray(taken) ? taken.slice() : [taken]);
    } else {
      values.push(...[taken].flat());
    }
  }
  if (hasRows && !hasTaken) {
    const needed =
      lookup.take === undefined ? `"${lookup.key}"` : `"${lookup.key}" and "${lookup.take}"`;
    throw new OperatorError(`${name} has no row with the column or member ${needed}`);
  }
  return table;
}

async function* rowsOf(
  { file, delimiter, encoding, records, sheet }: Lookup,
  { mappingFile, name }: { mappingFile: string; name: string },
) {
  if (isAbsolute(file) || file.split(/[/\\]/).includes('..')) {
    throw new OperatorError(`${name} must be a path relative to the mapping, without \`..\``);
  }
  const beneath = dirname(mappingFile);
  await using opened = await openRegularFile(join(beneath, file), { name, beneath });
  try {
    const { head, whole } = await readHead(opened, HEAD_BYTES, encoding);
    const format = recognizeFormat(head, basename(file), whole, { delimiter, encoding });
    if (typeof format === 'string') {
      throw new OperatorError(`${name} ${format}`);
    }
    if (sheet !== undefined && format.kind !== 'xlsx') {
      throw new OperatorError(`${name} is no workbook, which alone has a \`sheet\``);
    }
    const mapping = { mapping: { encoding, records } };
    const sheetOrList =
      format.kind === 'xlsx' ? { ...format, sheet } : withRecords(format, records);
    for await (const batch of readCatalog({ file: opened, format: sheetOrList, mapping })) {
      yield* batch;
    }
  } catch (error) {
    if (error instanceof UnreadableError) {
      const line = error.position > 0 ? `, line ${error.position}` : '';
      throw new OperatorError(`${name}${line}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

interface Sheet {
  /** The column of the title. Sheets with the column of an earlier entry of SHEETS are not of this form. */
  title: string;
  /** The columns of the main artists. The first one with a value applies. */
  artists: readonly string[];
  usedBy: string;
  none?: readonly string[];
}

const SHEETS: readonly Sheet[] = sheets;

/** Columns of sheets and files that other mappings, or Stave's own form, read. */
const OTHER_FORMS = ['SourceAudio ID', 'AlbumCode', 'Album Code', 'externalId'];

/** The mappings of sheets with a column `ISRC`. They share `isrc-sheet.json`, except titles and artists. */
function isrcSheets(): { name: string }[] {
  return SHEETS.map(({ title, artists, usedBy, none = [] }, i) => ({
    name: `isrc-${title.toLowerCase().replace(' ', '-')}`,
    description: `Track sheets of distributors with the columns \`ISRC\` and \`${title}\`, as ${usedBy}. The ISRC is the id of the track.`,
    recognize: {
      formats: ['csv', 'xlsx'],
      all: ['ISRC', title],
      none: [...OTHER_FORMS, ...SHEETS.slice(0, i).map((earlier) => earlier.title), ...none],
    },
    ...rules,
    fields: { ...rules.fields, name: title },
    artists: [
      {
        name: artists.map((column) => ({ from: column, split: [';', '|'] })),
        isPrimary: { constant: true },
      },
      ...rules.artists,
    ],
  }));
}

/** The mappings that come with Stave, in the order in which they are tried. */
export const SHIPPED_MAPPINGS: readonly CompiledMapping[] = [
  catalogDump,
  fmaTracks,
  sourceaudio,
  harvest,
  ...isrcSheets(),
].map((file) => compileMapping(parseMapping(JSON.stringify(file), `${file.name}.json`)));
