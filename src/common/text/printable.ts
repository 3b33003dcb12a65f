const MARKS = '\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';
const IN_TEXT = new RegExp(`(?![\\n\\t])[\\p{Cc}${MARKS}]`, 'gu');
const IN_LINE = new RegExp(`[\\p{Cc}${MARKS}]`, 'gu');

/**
 * Replaces control characters, except line breaks and tabs, and direction marks. Names come from suppliers, and an escape
 * sequence must not reach the terminal of the operator.
 */
export function printable(text: string): string {
  return text.replace(IN_TEXT, '\uFFFD');
}

/** Like `printable`, for a text on one line: replaces line breaks and tabs, too. */
export function printableLine(text: string): string {
  return text.replace(IN_LINE, '\uFFFD');
}
