import { keyOf, parentOf } from '../decode/place.ts';

/** Reads one value of a supplier's record; undefined if there is none. */
export type Reader = (record: object) => unknown;

/** The names by which a path reaches the parent of a nested record, and its key or place in it. */
const PARENT_NAME = '$parent';
const KEY_NAME = '$key';

/** A path with more names is one name with dots, because the names can be combined in many ways. */
const MAX_NAMES = 12;

/**
 * Returns a reader of the member `a.b`, or if there is none, of `b` in `a`. Each name may contain
 * dots itself. If no member has the spaces at the ends of the path, reads the member without them.
 * Reads own members only.
 */
export function reader(path: string): Reader {
  const read = exactReader(path);
  const trimmed = path.trim();
  if (trimmed === path) {
    return read;
  }
  const readTrimmed = exactReader(trimmed);
  return (record) => read(record) ?? readTrimmed(record);
}

function exactReader(path: string): Reader {
  const names = path.split('.');
  if (names.length === 1 || names.length > MAX_NAMES) {
    return (record) => member(record, path);
  }
  // joined[i] has the names from i on, the longest first, each with the number of names after it.
  const joined = names.map((_, from) =>
    names.slice(from).map((_, less) => ({
      name: names.slice(from, names.length - less).join('.'),
      next: names.length - less,
    })),
  );
  const find = (value: unknown, from: number): unknown => {
    if (from === names.length) {
      return value;
    }
    for (const { name, next } of joined[from]!) {
      const inner = member(value, name);
      const found = inner === undefined ? undefined : find(inner, next);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  };
  return (record) => find(record, 0);
}

/**
 * Returns an own member of an object; undefined if the value is not an object or lacks the member.
 */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  if (Object.hasOwn(value, name)) {
    return (value as Record<string, unknown>)[name];
  }
  return name === PARENT_NAME ? parentOf(value) : name === KEY_NAME ? keyOf(value) : undefined;
}
