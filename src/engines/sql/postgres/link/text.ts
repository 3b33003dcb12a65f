/**
 * PostgreSQL's text type holds every character except NUL, and the texts of Stave may contain NUL. NUL is
 * therefore written as a mark (a character for private use) and the digit 0, and the mark itself as a mark
 * and the digit 1.
 */
const MARK = '\uE000';
const SPECIAL = /[\0\uE000]/;

/** Converts a text to the form that the database can hold. */
export function toStored(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(MARK, `${MARK}1`).replaceAll('\0', `${MARK}0`) : text;
}

/** Returns the text that `toStored` was given. */
export function fromStored(text: string): string {
  return text.includes(MARK)
    ? text.replaceAll(`${MARK}0`, '\0').replaceAll(`${MARK}1`, MARK)
    : text;
}
