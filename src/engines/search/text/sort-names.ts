/**
 * The articles that a name may begin with, by language. One with an apostrophe is joined to the next word, so that the split
 * form of a name shows it.
 */
const ARTICLES: Readonly<Record<string, readonly string[]>> = {
  en: ['the', 'a', 'an'],
  de: ['der', 'die', 'das', 'ein', 'eine'],
  fr: ['le', 'la', 'les', 'un', 'une', "l'"],
  es: ['el', 'la', 'los', 'las', 'un', 'una'],
  it: ['il', 'lo', 'la', 'i', 'gli', 'le', 'un', 'uno', 'una', "l'"],
  pt: ['o', 'a', 'os', 'as', 'um', 'uma'],
  nl: ['de', 'het', 'een'],
  sv: ['en', 'ett', 'den', 'det', 'de'],
  da: ['en', 'et', 'den', 'det', 'de'],
  nb: ['en', 'ei', 'et', 'den', 'det', 'de'],
};

const NONE: readonly string[] = [];

/** The articles of a language tag such as `pt-BR`; none for a language without articles, or that is not known. */
export function articlesOf(language: string | undefined): readonly string[] {
  const primary = language?.split('-')[0]?.toLowerCase() ?? '';
  return Object.hasOwn(ARTICLES, primary) ? ARTICLES[primary]! : NONE;
}

/** Where the form begins and ends that a name is sorted by, of its two forms; an article alone is a name. */
export function sortedForm(
  { start, middle, end }: { start: number; middle: number; end: number },
  isArticle: (at: number, isElided: boolean) => boolean,
): [start: number, end: number] {
  if (middle - start > 1 && isArticle(start, false)) return [start + 1, middle];
  if (end - middle > 1 && isArticle(middle, true)) return [middle + 1, end];
  return [start, middle];
}

/** Compares lists of words one by one, so that Track 2 comes before Track 10. Names without a word come last. */
export function compareSortedForms(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareNaturally(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares words by UTF-16 units, except that numbers in them are compared by their value. Equal words alone are equal. */
export function compareNaturally(a: string, b: string): number {
  const ours = a.match(RUNS) ?? [];
  const theirs = b.match(RUNS) ?? [];
  for (let i = 0; i < ours.length && i < theirs.length; i++) {
    const order = compareRuns(ours[i]!, theirs[i]!);
    if (order !== 0) return order;
  }
  return ours.length - theirs.length || compareTexts(a, b);
}

const RUNS = /[0-9]+|[^0-9]+/g;

function compareRuns(a: string, b: string): number {
  if (!/^[0-9]/.test(a) || !/^[0-9]/.test(b)) return compareTexts(a, b);
  const [one, other] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return one.length - other.length || compareTexts(one, other);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
