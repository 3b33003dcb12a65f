import { Batch, type Decoded, decoded, undecoded } from './decoded.ts';

/** A list of records, or an object of them by key, within a record. */
export interface Level {
  names: readonly string[];
  holds: 'list' | 'object';
}

export interface RecordsPath {
  /** The outermost list or object; null if the document is read as one record. */
  outer: Level | null;
  /** The lists and objects in each of those records. */
  inner: readonly Level[];
  /** The lists and objects in a line of NDJSON. */
  ofLine: readonly Level[];
}

/** The document itself, in a path. */
const DOCUMENT = '$';
const RECORDS_PATH = /^(?:[^.[\]{}]+\.|[^.[\]{}]*(?:\[\]|\{\})(?:\.|$))*(?:[^.[\]{}]+)?$/;

export function isRecordsPath(path: string): boolean {
  return path !== '' && path.length <= 1000 && !path.endsWith('.') && RECORDS_PATH.test(path);
}

/**
 * Parses the path of a list, such as `data.tracks`, `releases[].tracks[]` or `tracks{}`: `[]` stands
 * for each entry of a list, `{}` for each member of an object, and `$` for the whole document, or a
 * line of NDJSON, as one record.
 */
export function parseRecordsPath(path: string): RecordsPath {
  if (path === DOCUMENT) {
    return { outer: null, inner: [], ofLine: [] };
  }
  const isMarked = /\[\]|\{\}/.test(path);
  const levels = (/[\]}]$/.test(path) ? path : `${path}[]`)
    .split(/(?<=\[\]|\{\})\.?/)
    .filter((part) => part !== '')
    .map(
      (part): Level => ({
        names: part
          .slice(0, -2)
          .split('.')
          .filter((name) => name !== ''),
        holds: part.endsWith('{}') ? 'object' : 'list',
      }),
    );
  const [first, ...others] = levels as [Level, ...Level[]];
  if (first.names[0] === DOCUMENT) {
    const inner = [{ ...first, names: first.names.slice(1) }, ...others];
    return { outer: null, inner, ofLine: inner };
  }
  // A path without marks names a list of a document, and says nothing of lines.
  const ofLine = first.names.length === 0 ? others : levels;
  return { outer: first, inner: others, ofLine: isMarked ? ofLine : [] };
}

/**
 * Replaces each record by the records that it contains. Each knows its parent and its key there, as
 * `$parent` and `$key` of a mapping. A record that lacks the list is rejected; an empty list gives
 * no records. With `countsRecords`, the position is the number of the record, as in a JSON document;
 * otherwise it is that of the outermost record.
 */
export async function* nestedRecords(
  batches: AsyncGenerator<Decoded[]>,
  levels: readonly Level[],
  countsRecords: boolean,
): AsyncGenerator<Decoded[]> {
  if (levels.length === 0) return yield* batches;
  const found = new Batch();
  let count = 0;
  for await (const batch of batches) {
    for (const record of batch) {
      const entries: Decoded[] = [];
      if (record.problem === null) {
        collect(record, levels, entries);
      } else {
        entries.push(record);
      }
      for (const entry of entries) {
        const position = countsRecords ? ++count : entry.position;
        found.push({ ...entry, position, sizeBytes: record.sizeBytes / entries.length });
        if (found.isFull) {
          yield* found.take();
        }
      }
    }
    // Records hold their parents, so none of them waits for the next batch.
    yield* found.take();
  }
}

function collect(record: Decoded, levels: readonly Level[], found: Decoded[]): void {
  const [level, ...deeper] = levels;
  if (level === undefined) {
    found.push(record);
    return;
  }
  const { position } = record;
  const list = memberAt(record.value, level.names);
  const isRight =
    typeof list === 'object' && list !== null && Array.isArray(list) === (level.holds === 'list');
  if (!isRight) {
    const what = level.holds === 'list' ? 'list' : 'object of records';
    found.push(undecoded(position, `has no ${what} "${level.names.join('.')}"`));
    return;
  }
  for (const [key, entry] of Object.entries(list)) {
    if (typeof entry === 'object' && entry !== null) {
      setPlace(entry, record.value as object, level.holds === 'list' ? Number(key) + 1 : key);
    }
    collect(decoded(position, entry, 0), deeper, found);
  }
}

function memberAt(value: unknown, names: readonly string[]): unknown {
  let at = value;
  for (const name of names) {
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined;
  }
  return at;
}

/** The record that an entry of a nested list belongs to, and its key or place there. */
const PARENT = Symbol('parent');
const KEY = Symbol('key');

interface Placed {
  [PARENT]?: object;
  [KEY]?: string | number;
}

/** Stores the parent and the key of a nested record. No loop over its members and no JSON shows them. */
export function setPlace(entry: object, parent: object, key: string | number): void {
  Object.assign(entry, { [PARENT]: parent, [KEY]: key });
}

export function parentOf(entry: object): object | undefined {
  return (entry as Placed)[PARENT];
}

/** Returns the key of a nested record, or its place in a list, from 1; undefined for others. */
export function keyOf(entry: object): string | number | undefined {
  return (entry as Placed)[KEY];
}
