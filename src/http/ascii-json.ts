/**
 * Returns the value as JSON in which every character beyond ASCII is escaped, so that each character is one
 * byte.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
