/** Tells that one field of a record cannot be taken as it is. `message` begins with a verb: `must be …`. */
export type Report = (field: string, message: string) => void;

/** Characters a text of each sort may have; a supplier's odd essay is not worth a slower catalog. */
export const MAX_NAME_LENGTH = 1000;
/** Of a tag, a role, a filter's name or an external id. */
export const MAX_WORD_LENGTH = 300;

/**
 * The text in NFC and trimmed (decisions §3, Names), otherwise as delivered; `""` and a report when it
 * holds what no JSON answer or database column carries unharmed, or is over its length.
 */
export function canonicalText(
  text: string,
  field: string,
  maxLength: number,
  report: Report,
): string {
  const canonical = BEYOND_LATIN.test(text) ? text.normalize('NFC').trim() : text.trim();
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

/** Below U+0300 nothing composes or decomposes in NFC. */
const BEYOND_LATIN = /[^\0-\u02ff]/;

/** Canonical texts, empty ones left out, each once. */
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
