import { computed, signal } from '@preact/signals';
import { keep, kept } from '../shell/kept.ts';
import en from './en.json' with { type: 'json' };

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
export const LANGUAGES = Object.keys(FILES) as readonly Language[];

const texts = signal<Texts>(en);

/** The language of the page. */
export const language = signal<Language>('en');

/** What separates the forms of a text with a number. */
const FORMS = ' | ';

const plurals = computed(() => new Intl.PluralRules(language.value));

/**
 * Returns a text of the page, with values in the place of their names in braces. Of a text with two forms, `n` chooses
 * the one for 1 or the one for others.
 */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  const [one = '', other] = texts.value[key].split(FORMS);
  const isOne = other === undefined || plurals.value.select(Number(values.n)) === 'one';
  return (isOne ? one : other).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? number(value) : value;
  });
}

/** The language of the page as the visitor writes it, such as English of Australia: for numbers, dates and names. */
export function locale(): string {
  const own = navigator.languages.find((tag) => languageOf(tag) === language.value);
  return own ?? language.value;
}

export function number(value: number): string {
  return value.toLocaleString(locale());
}

/** The day of a moment. */
export function day(time: string, options?: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', ...options });
  return format.format(new Date(time));
}

function languageOf(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split('-');
  return LANGUAGES.find((one) => one === primary);
}

/** Shows the page in the language that was chosen here before, or in the first one of the browser that it has. */
export async function startLanguage(): Promise<void> {
  const wanted = [kept('language') ?? '', ...navigator.languages].map(languageOf);
  const first = wanted.find((one) => one !== undefined) ?? 'en';
  // The page is usable in English, too.
  await show(first).catch(() => show('en'));
}

/** Shows the page in another language, also next time. Rejects if its file cannot be loaded. */
export async function chooseLanguage(next: Language): Promise<void> {
  await show(next);
  keep('language', next);
}

async function show(next: Language): Promise<void> {
  texts.value = await FILES[next]();
  language.value = next;
  document.documentElement.lang = next;
  document.documentElement.dir = texts.value.direction;
}
