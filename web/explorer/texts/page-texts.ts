import { computed, signal } from '@preact/signals';

/** What separates the forms of a text with a number. */
const FORMS = ' | ';

/**
 * The texts of a page in the language that it is shown in. English is in its first script; `files` loads the texts of the
 * others, one file for each.
 */
export function pageTexts<
  Key extends string,
  Files extends Readonly<Record<'en', () => Promise<Readonly<Record<Key, string>>>>>,
>(english: Readonly<Record<Key | 'direction', string>>, files: Files) {
  type Language = keyof Files & string;
  const texts = signal<Readonly<Record<Key | 'direction', string>>>(english);
  /** The language of the page. */
  const language = signal<Language>('en');
  const languages = Object.keys(files) as readonly Language[];
  const plurals = computed(() => new Intl.PluralRules(language.value));

  /**
   * Returns a text of the page, with values in the place of their names in braces. Of a text with two forms, `n` chooses
   * the one for 1 or the one for others.
   */
  function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
    const [one = '', other] = texts.value[key].split(FORMS);
    const isOne = other === undefined || plurals.value.select(Number(values.n)) === 'one';
    return (isOne ? one : other).replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? '';
      return typeof value === 'number' ? number(value) : value;
    });
  }

  /** The language of the page as the visitor writes it, such as English of Australia: for numbers, dates and names. */
  function locale(): string {
    const own = navigator.languages.find((tag) => languageOf(tag) === language.value);
    return own ?? language.value;
  }

  function number(value: number): string {
    return value.toLocaleString(locale());
  }

  /** The day of a moment. */
  function day(time: string, options?: Intl.DateTimeFormatOptions): string {
    const format = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', ...options });
    return format.format(new Date(time));
  }

  /** The language of the page that a tag of a language names, if it has that. */
  function languageOf(tag: string): Language | undefined {
    const [primary] = tag.toLowerCase().split('-');
    return languages.find((one) => one === primary);
  }

  /** Shows the page in another language. Rejects if its file cannot be loaded. */
  async function show(next: Language): Promise<void> {
    texts.value = { ...english, ...(await files[next as 'en']()) };
    language.value = next;
    document.documentElement.lang = next;
    document.documentElement.dir = texts.value.direction;
  }

  return { t, language, languages, locale, number, day, languageOf, show };
}
