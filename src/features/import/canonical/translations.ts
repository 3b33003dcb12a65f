import { canonicalLanguage, isLanguageTag } from '../../languages/languages.ts';
import { orderedTexts, type TrackText } from '../../languages/translations.ts';
import { describe, type ImportRecord } from '../record.ts';
import { canonicalText, canonicalWords, MAX_NAME_LENGTH, type Report } from './text.ts';

/** The greatest number of languages of a record. */
const MAX_LANGUAGES = 50;

/**
 * Returns the canonical tag of the language of a record; `""` if it is to be that of the catalog, and undefined if what
 * is stored stays.
 */
export function canonicalLanguageOf(
  given: ImportRecord['language'],
  report: Report,
): string | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  const tag = given.trim();
  if (tag === '') {
    return '';
  }
  if (!isLanguageTag(tag)) {
    report('language', `must be a language tag such as de or pt-BR; it is ${describe(given)}`);
  }
  return canonicalLanguage(tag);
}

/** Returns the translations of a record in the order of their languages; undefined if those that are stored stay. */
export function canonicalTranslations(
  given: ImportRecord['translations'],
  maxTags: number,
  report: Report,
): TrackText[] | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  const entries = Object.entries(given);
  if (entries.length > MAX_LANGUAGES) {
    report(
      'translations',
      `must have ${MAX_LANGUAGES} languages at most; it has ${entries.length}`,
    );
    return undefined;
  }
  const texts = new Map<string, TrackText>();
  for (const [tag, { name, tags }] of entries) {
    const field = `translations.${describe(tag).slice(1, -1)}`;
    if (!isLanguageTag(tag)) {
      report(
        field,
        `must be under a language tag such as de or pt-BR; it is under ${describe(tag)}`,
      );
      continue;
    }
    const language = canonicalLanguage(tag);
    if (texts.has(language)) {
      report(field, `must be given once; ${language} is given before`);
      continue;
    }
    texts.set(language, {
      language,
      name: canonicalTranslatedName(name, `${field}.name`, report),
      tags: tags ? canonicalWords(tags, `${field}.tags`, maxTags, report) : null,
    });
  }
  return orderedTexts([...texts.values()]);
}

function canonicalTranslatedName(given: string, field: string, report: Report): string {
  let isTold = false;
  const name = canonicalText(given, field, MAX_NAME_LENGTH, (where, message) => {
    isTold = true;
    report(where, message);
  });
  if (name === '' && !isTold) {
    report(field, 'must not be empty');
  }
  return name;
}
