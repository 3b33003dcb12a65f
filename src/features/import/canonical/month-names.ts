/** Abbreviations that spreadsheets use, and that neither Intl has nor begin a name: words without accents. */
const ABBREVIATIONS: Readonly<Record<string, number>> = { sept: 9, mrz: 3 };

/**
 * Returns a reader of month names in English and in a language, or of their beginnings of three letters or more: 1 to 12, or
 * 0 for another word. Case and accents do not matter. The names are those of the Unicode CLDR.
 * The language must have month names.
 */
export function monthReader(language: string): (word: string) => number {
  // Made when the first month is read: the formats of Intl take megabytes.
  let names: string[][][] | undefined;
  return (word) => {
    names ??= [language, 'en'].map(monthNames);
    const text = plain(word);
    for (const months of names) {
      const month = months.findIndex((forms) => forms.some((form) => form.startsWith(text)));
      if (month >= 0) return month + 1;
    }
    return ABBREVIATIONS[text] ?? 0;
  };
}

/** Whether a text is a language tag (BCP 47) whose month names are known. */
export function hasMonthNames(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length > 0;
  } catch {
    return false;
  }
}

/** The forms of the twelve months: alone and in a date, where many languages have another case. */
function monthNames(language: string): string[][] {
  const styles = (['long', 'short'] as const).flatMap((month) =>
    [{ month }, { month, day: 'numeric', year: 'numeric' } as const].map(
      (style) => new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' }),
    ),
  );
  return Array.from({ length: 12 }, (_, month) => {
    const day = new Date(Date.UTC(2001, month, 15));
    const parts = styles.map((style) =>
      style.formatToParts(day).find(({ type }) => type === 'month'),
    );
    return parts.map((part) => plain(part?.value ?? ''));
  });
}

function plain(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}|\.$/gu, '')
    .toLowerCase();
}
