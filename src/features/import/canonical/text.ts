/** Reports that a field of a record is invalid. `message` begins with a verb: `must be …`. */
export type Report = (field: string, message: string) => void;

/** The longest name in characters. Longer texts are not names, and would slow the catalog down. */
export const MAX_NAME_LENGTH = 1000;
/** The longest tag, role, filter name or external id in characters. */
export const MAX_WORD_LENGTH = 300;

/** What nothing shows: marks of direction, joiners, soft hyphens, Hangul fillers, byte order marks. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/;
const SPACE = /\s/;

/** Returns the text without white space and invisible characters at its ends, in linear time. */
export function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlankAt(text, from)) from++;
  while (to > from && isBlankAt(text, to - 1)) to--;
  return text.slice(from, to);
}

function isBlankAt(text: string, at: number): boolean {
  return SPACE.test(text[at]!) || isInvisibleAt(text, at);
}

function isInvisibleAt(text: string, at: number): boolean {
  return text.charCodeAt(at) > 0xa0 && INVISIBLE.test(text[at]!);
}

/** Trims a cell if there is an invisible character at its ends. Spaces alone are left to the rules of a mapping. */
export function withoutInvisibleEnds(text: string): string {
  const isInvisible = isInvisibleAt(text, 0) || isInvisibleAt(text, text.length - 1);
  return isInvisible ? trimmed(text) : text;
}

/**
 * Returns the text in NFC and trimmed (docs/contract/tracks.md#names), otherwise as delivered.
 * Reports a text that is too long, or that JSON or a database column cannot hold, and returns `""`.
 */
export function canonicalText(
  text: string,
  field: string,
  maxLength: number,
  report: Report,
): string {
  const canonical = trimmed(BEYOND_LATIN.test(text) ? text.normalize('NFC') : text);
  if (canonical.length > maxLength) {
    report(field, `must have ${maxLength} characters at most; it has ${canonical.length}`);
    return '';
  }
  if (canonical.includes('\0')) {
    report(field, 'must not hold the NUL character');
    return '';
  }
  if (!canonical.isWellFormed()) {
    report(field, 'must be well-formed Unicode; it holds half of a surrogate pair');
    return '';
  }
  return canonical;
}

/** NFC changes nothing below U+0300. */
const BEYOND_LATIN = /[^\0-\u02ff]/;

export function canonicalWords(
  words: readonly string[],
  field: string,
  maxCount: number,
  report: Report,
): string[] {
  if (words.length > maxCount) {
    report(field, `must list ${maxCount} at most; it lists ${words.length}`);
    return [];
  }
  const canonical: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = canonicalText(words[i]!, field, MAX_WORD_LENGTH, report);
    if (word !== '' && !canonical.includes(word)) {
      canonical.push(word);
    }
  }
  return canonical;
}

/** Returns a name of a column or member as names are compared: in lower case, with letters and digits alone. */
export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export function canonicalName(given: string, field: string, report: Report): string {
  let isReported = false;
  const name = canonicalText(given, field, MAX_NAME_LENGTH, (where, message) => {
    isReported = true;
    report(where, message);
  });
  if (name === '' && !isReported) report(field, 'must not be empty');
  return name;
}
