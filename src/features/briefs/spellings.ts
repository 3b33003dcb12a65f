/** Shorter words have no other spellings. */
const LEAST = 3;
/** Endings of one vowel are only changed in words of this length, because short ones are other words. */
const LEAST_VOWEL = 5;

/**
 * Returns a word, and its probable singular and plural in English, German, French, Spanish and Italian. Some are no words,
 * which does no harm, because they are only compared with words of the catalog.
 */
export function spellingsOf(word: string): string[] {
  if (word.length < LEAST || /[^a-z]/.test(word)) return [word];
  const found = new Set([word, ...(word.endsWith('s') ? [] : [`${word}s`])]);
  const replaced = (ending: RegExp, ...others: string[]) => {
    const stem = word.replace(ending, '');
    if (stem !== word && stem.length >= LEAST - 1) for (const one of others) found.add(stem + one);
  };
  if (/(?:[sxz]|[cs]h)$/.test(word)) found.add(`${word}es`);
  replaced(/(?<=[^aeiou])y$/, 'ies');
  replaced(/ies$/, 'y');
  replaced(/(?<=[sxz]|[cs]h)es$/, '');
  replaced(/(?<=[^su])s$/, '');
  replaced(/al$/, 'aux');
  replaced(/aux$/, 'al');
  if (word.length >= LEAST_VOWEL) {
    found.add(`${word}e`).add(`${word}n`).add(`${word}en`).add(`${word}es`);
    replaced(/e$/, '', 'i');
    replaced(/e?n$/, '');
    replaced(/en$/, 'e');
    replaced(/es$/, '');
    replaced(/o$/, 'i');
    replaced(/i$/, 'o', 'e');
    replaced(/a$/, 'e');
  }
  return [...found];
}
