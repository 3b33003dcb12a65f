import { pageTexts } from '../../explorer/texts/page-texts.ts';
import en from './en.json' with { type: 'json' };

export type Key = keyof typeof en;
type Texts = Readonly<Record<Key, string>>;

/** The files of the languages. English is in the first script. */
const FILES = {
  en: async (): Promise<Texts> => en,
  de: async (): Promise<Texts> => (await import('./de.json', { with: { type: 'json' } })).default,
  fr: async (): Promise<Texts> => (await import('./fr.json', { with: { type: 'json' } })).default,
  es: async (): Promise<Texts> => (await import('./es.json', { with: { type: 'json' } })).default,
};

const page = pageTexts<Key, typeof FILES>(en, FILES);
export const { t, number, day } = page;

/** Shows the page in the language that the service has chosen by what the browser asks for. */
export async function startLanguage(): Promise<void> {
  const chosen = page.languageOf(document.documentElement.lang) ?? 'en';
  // The page is usable in English, too.
  await page.show(chosen).catch(() => page.show('en'));
}
