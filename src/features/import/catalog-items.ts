import { dirname } from 'node:path';
import { isObject } from '../../common/text/json.ts';
import { type Prepared, trackMaker } from './canonical/track.ts';
import { CatalogNotes } from './catalog-notes.ts';
import type { Decoded } from './decode/decoded.ts';
import { type Format, isTable } from './decode/format.ts';
import type { DocumentLists } from './decode/json-document.ts';
import type { Item } from './item.ts';
import { type MappedRow, type MergedRows, RowGroups } from './mapping/grouping.ts';
import { attempt, CellProblem, type Reader } from './mapping/members.ts';
import { keyText } from './mapping/rule.ts';
import type { ReadContext } from './options.ts';
import type { CatalogPlan } from './plan.ts';
import { firstRecords, passedOverNotes, readCatalog, recordMaker } from './read-catalog.ts';
import { RECORD_MEMBERS } from './record.ts';

const BATCH_SIZE = 1500;
/** After how many credits, tags and filters a batch ends. */
const BATCH_ENTRIES = 10_000;

/**
 * Decodes, maps, validates and canonicalizes the records of a planned file, in batches. Afterwards
 * calls `onNote` for the members that no record has. Throws UnreadableError if the rest of the file
 * cannot be read.
 */
export async function* catalogItems(
  plan: CatalogPlan,
  context: Pick<ReadContext, 'source' | 'type' | 'isSample' | 'onRead' | 'onNote'> & {
    records?: readonly Decoded[];
    onRecord?: () => void;
  },
): AsyncGenerator<Item[]> {
  const { source, type, isSample = false, records, onRead, onNote, onRecord } = context;
  const phases = {
    toRecord: recordMaker(plan.mapping, plan.format),
    toTrack: trackMaker({ source, type }),
    reads: plan.mapping?.reads ?? new Set([...RECORD_MEMBERS, ...ownColumns(plan.format)]),
    damageAdvice:
      plan.format.kind === 'csv' ? '; `encoding` of a mapping names another encoding' : '',
  };
  const folder = dirname(plan.path);
  const group = plan.mapping?.mapping.group;
  const groups = group === undefined ? null : new RowGroups(group);
  const notes = new CatalogNotes(plan);
  const note = (text: string) => onNote?.(`${plan.path}: ${text}`);
  const itemOf = (prepared: Prepared, line: number): Item => {
    notes.seeTrack(prepared, line);
    return { file: plan.path, line, prepared, folder, picture: null, facts: null };
  };

  const itemOfRecord = (record: Decoded): Item | undefined => {
    if (groups === null || !isObject(record.value)) {
      return itemOf(prepare(record, phases), record.position);
    }
    const row = rowOf(record, phases, plan.mapping!.groupKey!);
    const isLost = row.key === undefined && row.problem !== null;
    const rows = isLost ? row : groups.add(row);
    return rows && itemOf(prepareRows(rows, phases), rows.position);
  };

  const lists: DocumentLists = { read: undefined, passedOver: [] };
  const read = () => readCatalog(plan, { onRead, lists });
  for await (const batch of records ? [records] : isSample ? firstRecords(read()) : read()) {
    let items: Item[] = [];
    let entries = 0;
    for (const record of batch) {
      onRecord?.();
      notes.seeSupplied(record.value);
      const item = itemOfRecord(record);
      if (item === undefined) {
        continue;
      }
      items.push(item);
      entries += entriesOf(item.prepared);
      // A lookup can give a small record many entries, which the size of the batch does not count.
      if (entries > BATCH_ENTRIES) {
        yield items;
        items = [];
        entries = 0;
      }
    }
    yield items;
  }
  for (const batch of groups?.end(BATCH_SIZE) ?? []) {
    yield batch.map((rows) => itemOf(prepareRows(rows, phases), rows.position));
  }
  [...passedOverNotes(lists), ...notes.lines()].forEach(note);
}

function ownColumns(format: Format): Iterable<string> {
  return (isTable(format) && format.members?.keys()) || [];
}

function entriesOf({ delivery }: Prepared): number {
  return delivery === null
    ? 0
    : delivery.artists.length + delivery.tags.length + delivery.filters.length;
}

interface Phases {
  toRecord: (record: object) => unknown;
  toTrack: (value: unknown) => Prepared;
  reads: ReadonlySet<string>;
  /** What a rejection adds for a column that cannot be decoded. */
  damageAdvice: string;
}

function prepare({ value, problem, damaged }: Decoded, phases: Phases): Prepared {
  if (problem !== null) return rejected('', problem);
  if (!isObject(value)) return phases.toTrack(value);
  const record = attempt(() => phases.toRecord(value));
  if (record instanceof CellProblem) return rejected(record.field, record.message);
  const problems = damageOf(damaged, phases);
  return problems.length > 0 ? refused(record, problems, phases) : phases.toTrack(record);
}

function rejected(field: string, message: string): Prepared {
  return { delivery: null, id: null, problems: [{ field, message }] };
}

/** Returns the problems of the columns that cannot be decoded, if the record needs them. */
function damageOf(damaged: Decoded['damaged'], { reads, damageAdvice }: Phases) {
  return [...(damaged ?? [])]
    .filter(([column]) => reads.has(column))
    .map(([field, message]) => ({ field, message: `${message}${damageAdvice}` }));
}

/** Rejects a record, with the id of its track, which is then not withdrawn. */
function refused(
  record: unknown,
  problems: { field: string; message: string }[],
  { toTrack }: Phases,
): Prepared {
  const prepared = toTrack(record);
  const id = prepared.delivery === null ? prepared.id : prepared.delivery.id;
  return { delivery: null, id, problems };
}

function rowOf(
  { value, position, damaged, sizeBytes }: Decoded,
  phases: Phases,
  groupKey: Reader,
): MappedRow {
  const row = value as object;
  const key = attempt(() => groupKey(row));
  const record = attempt(() => phases.toRecord(row) as Record<string, unknown>);
  const [damage] = damageOf(damaged, phases);
  const problem =
    damage !== undefined
      ? new CellProblem(damage.field, damage.message)
      : [key, record].find((one) => one instanceof CellProblem);
  return {
    position,
    key: keyText(key),
    record: record instanceof CellProblem ? {} : record,
    problem: (problem as CellProblem | undefined) ?? null,
    sizeBytes,
  };
}

function prepareRows({ record, problem }: MergedRows, phases: Phases): Prepared {
  if (problem === null) {
    return phases.toTrack(record);
  }
  const { field, message } = problem;
  return refused(record, [{ field, message }], phases);
}
