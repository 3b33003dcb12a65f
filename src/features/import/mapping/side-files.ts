import { basename, dirname, isAbsolute, join } from 'node:path';
import { openRegularFile } from '../../../common/files/regular-file.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { readHead } from '../decode/bytes.ts';
import { UnreadableError } from '../decode/decoded.ts';
import { HEAD_BYTES, recognizeFormat, withRecords } from '../decode/format.ts';
import { readCatalog } from '../read-catalog.ts';
import { keyText, type Lookups, type LookupTable } from './lookups.ts';
import type { Mapping } from './mapping.ts';
import { lookupsOf, rulesOf } from './members.ts';
import { reader } from './paths.ts';
import type { Lookup } from './rule-schema.ts';

/** The approximate memory of all side files of a mapping. */
const MAX_BYTES = 48 * 1024 * 1024;
/** The approximate memory of a key and the list of its values. */
const ENTRY_BYTES = 150;

/**
 * Reads the side files of a mapping: regular files in its folder or below, which no link leaves. Throws OperatorError that
 * names the file and the problem: a side file is read as a whole, or not at all.
 */
export async function loadSideFiles(mapping: Mapping, mappingFile: string): Promise<Lookups> {
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
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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
  const opened = await openRegularFile(join(beneath, file), { name, beneath });
  try {
    const { head, whole } = await readHead(opened, HEAD_BYTES);
    const format = recognizeFormat(head, basename(file), whole, { delimiter, encoding });
    if (typeof format === 'string') {
      throw new OperatorError(`${name} ${format}`);
    }
    if (sheet !== undefined && format.kind !== 'xlsx') {
      throw new OperatorError(`${name} is no workbook, which alone has a \`sheet\``);
    }
    const mapping = { mapping: { encoding, records } };
    const listed = format.kind === 'xlsx' ? { ...format, sheet } : withRecords(format, records);
    for await (const batch of readCatalog({ file: opened, format: listed, mapping })) {
      yield* batch;
    }
  } catch (error) {
    if (error instanceof UnreadableError) {
      const line = error.position > 0 ? `, line ${error.position}` : '';
      throw new OperatorError(`${name}${line}: ${error.message}`, { cause: error });
    }
    throw error;
  } finally {
    await opened.close();
  }
}
