/**
 * PostgreSQL's text holds every character but NUL, and Stave's texts hold what was delivered. So NUL
 * is written as a mark and a letter, and the mark itself, a character for private use, likewise.
 */
const MARK = '\uE000';
const SPECIAL = /[\0\uE000]/;

/** A text as the database can hold it. */
export function toStored(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(MARK, `${MARK}1`).replaceAll('\0', `${MARK}0`) : text;
}

/** The text that toStored was given. */
export function fromStored(text: string): string {
  return text.includes(MARK)
    ? text.replaceAll(`${MARK}0`, '\0').replaceAll(`${MARK}1`, MARK)
    : text;
}
