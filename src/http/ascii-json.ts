/** The value as JSON with every character beyond ASCII escaped, so that it fits into bytes of any encoding. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
