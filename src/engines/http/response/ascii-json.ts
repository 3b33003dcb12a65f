/**
 * Returns the value as JSON in which every character beyond ASCII is escaped, so that each character is one
 * byte.
 */
export function asciiJson(value: unknown): string {
  return inAscii(JSON.stringify(value));
}

/** Escapes every character beyond ASCII in a text of JSON, or in a part of one. */
export function inAscii(json: string): string {
  return json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
