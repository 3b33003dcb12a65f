/** The number of tracks that one request may name (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_NAMED_TRACKS = 100;

/**
 * Returns the names in lower case, each with the name as it was sent, at its first place: names that differ in
 * case only are one name.
 */
export function distinctNames(names: readonly string[]): Map<string, string> {
  const distinct = new Map<string, string>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (!distinct.has(key)) {
      distinct.set(key, name);
    }
  }
  return distinct;
}
