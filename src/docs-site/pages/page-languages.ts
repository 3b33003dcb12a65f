import { Languages } from '../../features/languages/languages.ts';

/** The languages of the pages for people without credentials. */
export const PAGE_LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

const LANGUAGES = new Languages('en', PAGE_LANGUAGES.slice(1));

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the language of a page for the browser that asks for it. */
export function pageLanguage({ 'accept-language': accepted }: Headers): PageLanguage {
  return LANGUAGES.forHeader(accepted?.toString()).contentLanguage as PageLanguage;
}

/** Returns the headers of a page in a language that depends on the request. */
export function languageHeaders(language: PageLanguage): Record<string, string> {
  return { 'Content-Language': language, Vary: 'Accept-Encoding, Accept-Language' };
}
