import { createHash } from 'node:crypto';
import { searchForm } from '../../common/text/search-form.ts';
import type { VocabularySource } from '../catalog/live/live-catalog.ts';
import type { Meaning, Vocabulary } from './brief.ts';
import type { Terms } from './embeddings/meanings.ts';
import { type Synonyms, WEAK_WEIGHT } from './synonyms.ts';

/** The number of the commonest tags that phrases are compared with. */
const MAX_TAGS = 5_000;

/**
 * The terms that phrases are compared with by meaning: names of filters, synonyms and the commonest tags.
 * @param isEnglish whether the model knows no other language, so that synonyms in others would be near to anything
 */
export function termsOf(
  { filters, commonTags }: VocabularySource,
  synonyms: Synonyms,
  isEnglish: boolean,
): Terms {
  const names = [
    ...filters.map(({ name }) => name),
    ...commonTags(MAX_TAGS).map(({ text }) => text),
  ];
  const forms = new Set(names.map(searchForm));
  const written = [
    ...forms,
    // A term with `*` is the beginning of a word, which means nothing by itself.
    ...[...synonyms.all]
      .filter(
        ({ term, names: meant, weight, isForeign }) =>
          !term.endsWith('*') &&
          // A phrase near to it would weigh more than itself.
          weight > WEAK_WEIGHT &&
          !(isEnglish && isForeign) &&
          meant.some((name) => forms.has(searchForm(name))),
      )
      .map(({ term }) => term),
  ];
  const terms = [...new Set(written.map(searchForm))].filter((term) => term !== '');
  const key = createHash('sha256').update(terms.join('\n')).digest('base64url');
  return { key, terms };
}

/** What a term names as a whole; undefined if the catalog does not have it. */
export function meaningOfTerm(term: string, vocabulary: Vocabulary): Meaning | undefined {
  const words = term.split(' ');
  return vocabulary
    .matches(words)
    .find(
      ({ length, meaning: { filters, tags } }) =>
        length === words.length && filters.length + tags.length > 0,
    )?.meaning;
}
