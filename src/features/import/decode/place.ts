/** The record that an entry of a nested list belongs to, and its key or place there. */
const PARENT = Symbol('parent');
const KEY = Symbol('key');

interface Placed {
  [PARENT]?: object;
  [KEY]?: string | number;
}

/**
 * Remembers the parent and the key of a nested record. No loop over its members and no JSON shows
 * them.
 */
export function setPlace(entry: object, parent: object, key: string | number): void {
  Object.assign(entry, { [PARENT]: parent, [KEY]: key });
}

/** Returns the record that contains a nested record; undefined for one that is not nested. */
export function parentOf(entry: object): object | undefined {
  return (entry as Placed)[PARENT];
}

/**
 * Returns the key of a record in the object that contains it, or its place in a list, from 1;
 * undefined for one that is in neither.
 */
export function keyOf(entry: object): string | number | undefined {
  return (entry as Placed)[KEY];
}
