import { keep, kept } from '../shell/kept.ts';
import en from './en.json' with { type: 'json' };
import { pageTexts } from './page-texts.ts';

/** The names of the texts of the page. */
export type Key = keyof typeof en;
type Texts = Readonly<Record<Key, string>>;

/** The languages of the page, and the file of each. English is in the first script. */
const FILES = {
  en: async (): Promise<Texts> => en,
  de: async (): Promise<Texts> => (await import('./de.json', { with: { type: 'json' } })).default,
  fr: async (): Promise<Texts> => (await import('./fr.json', { with: { type: 'json' } })).default,
  es: async (): Promise<Texts> => (await import('./es.json', { with: { type: 'json' } })).default,
} as const;
export type Language = keyof typeof FILES;

const page = pageTexts<Key, typeof FILES>(en, FILES);
export const { t, language, locale, number, day } = page;
export const LANGUAGES: readonly Language[] = page.languages;

/** Shows the page in the language that was chosen here before, or in the first one of the browser that it has. */
export async function startLanguage(): Promise<void> {
  const wanted = [kept('language') ?? '', ...navigator.languages].map(page.languageOf);
  const first = wanted.find((one) => one !== undefined) ?? 'en';
  // The page is usable in English, too.
  await page.show(first).catch(() => page.show('en'));
}

/** Shows the page in another language, also next time. Rejects if its file cannot be loaded. */
export async function chooseLanguage(next: Language): Promise<void> {
  await page.show(next);
  keep('language', next);
}
