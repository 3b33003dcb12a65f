import Type from 'typebox';
import { text } from '../../../common/schema-types.ts';
import { LANGUAGE_TAG_PATTERN, MAX_LANGUAGE_TAG_LENGTH } from '../languages.ts';

const requestedLanguage = (description: string) => ({
  language: Type.Optional(
    Type.String({
      'x-rule': 'be a language tag such as de or pt-BR',
      pattern: LANGUAGE_TAG_PATTERN,
      maxLength: MAX_LANGUAGE_TAG_LENGTH,
      description,
      examples: ['en'],
    }),
  ),
});

/** The parameter or member that chooses the language (docs/contract/languages.md#choice-of-the-language). */
export const languageMember = requestedLanguage(
  'The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original.',
);

/** For operations that ignore `Accept-Language`. */
export const languageParameter = requestedLanguage(
  'The language of names and tags: a language tag (RFC 5646). `Accept-Language` is ignored. Needs the contract feature `localization`. A text without a translation is shown in the original.',
);

export const LANGUAGE_FIELDS = {
  language: Type.Optional(
    text('The language of `name`. Only with the contract feature `localization`.', 'de'),
  ),
  originalName: Type.Optional(
    text('The name as delivered. Only with the contract feature `localization`.', 'Night Ferry'),
  ),
};
