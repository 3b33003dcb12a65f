import { readFileSync } from 'node:fs';
import { searchForm } from '../../common/text/search-form.ts';
import { readCsv } from './csv.ts';

/** What stands between a word and the one before it. */
type Divider = 'none' | 'dash' | 'comma' | 'stop';

/** A word of a brief. */
export interface Word {
  /** As the brief has it, with the sign of a key (`F#m`) and the unit of a number (`90bpm`, `2:30`). */
  raw: string;
  /** Its search form. */
  form: string;
  /** Where it begins and ends in the brief. */
  start: number;
  end: number;
  divider: Divider;
}

/** Signs before a number, and the terms that they stand for. */
const SIGNS: Readonly<Record<string, string>> = {
  '~': 'circa',
  '≈': 'circa',
  '<': 'under',
  '≤': 'under',
  '>': 'over',
  '≥': 'over',
};

const WORD =
  /(?<!\d\s*)[~≈<≤>≥](?=\s*\d)|[A-Ga-g][#♯♭](?:m(?!\p{L}))?|\d+(?:[.,:]\d+)?(?:\p{L}+\d*\p{L}*)?|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** Splits a brief at spaces, signs and apostrophes. */
export function wordsOf(brief: string): Word[] {
  const words: Word[] = [];
  let after = 0;
  for (const { 0: raw, index } of brief.matchAll(WORD)) {
    const form = SIGNS[raw] ?? searchForm(raw).replaceAll(' ', '');
    if (form === '') continue;
    const gap = brief.slice(after, index);
    const isRange = NUMBERS.test(`${words.at(-1)?.raw.at(-1)}${gap}${raw[0]}`);
    const isInside = isInsideName(words, gap, raw) || isAbbreviation(words, gap, raw);
    const divider =
      words.length === 0 ? 'stop' : isRange ? 'dash' : isInside ? 'none' : dividerOf(gap);
    after = index + raw.length;
    words.push({ raw, form, start: index, end: after, divider });
  }
  return words;
}

/** A dash between numbers, such as `80 – 100`. */
const NUMBERS = /^\d\s*[-–—~]\s*\d$/;

function dividerOf(gap: string): Divider {
  if (/[.;!?\n|•()[\]"„“”«»…]|\s[-–—]\s/.test(gap)) return 'stop';
  if (gap.includes(',')) return 'comma';
  return /[-–—]/.test(gap) ? 'dash' : 'none';
}

/** Whether a sign ends no sentence, because it is in a name: `P!nk`, `R.E.M.` */
function isInsideName(words: readonly Word[], gap: string, next: string): boolean {
  return gap === '!' || (gap === '.' && (words.at(-1)?.raw.length === 1 || next.length === 1));
}

/** Whether a full stop ends no sentence, because it is that of `ca. 90 bpm` or `max. 2 minutes`, but not of `2 min. 90 bpm`. */
function isAbbreviation(words: readonly Word[], gap: string, next: string): boolean {
  const [before, word] = [words.at(-2), words.at(-1)];
  return (
    /^\.\s*$/.test(gap) &&
    /^\d/.test(next) &&
    ['approx', 'under', 'over'].some((kind) => isTerm(word?.form ?? '', kind)) &&
    !/^\d/.test(before?.raw ?? '')
  );
}

/** The longest term of `words.csv`, in words. */
const MAX_TERM = 4;

/** Kinds of words by their search form, and their languages: what `words.csv` lists. */
const { terms: TERMS, languages: LANGUAGES } = readTerms();

function readTerms(): Record<'terms' | 'languages', ReadonlyMap<string, ReadonlySet<string>>> {
  const terms = new Map<string, Set<string>>();
  const languages = new Map<string, Set<string>>();
  const rows = readCsv(readFileSync(new URL('./words.csv', import.meta.url), 'utf8'));
  for (const { cells } of rows as Exclude<typeof rows, { unclosedAt: number }>) {
    const [kind = '', language = '', ...words] = cells;
    for (const word of words) {
      const form = searchForm(word);
      terms.set(form, (terms.get(form) ?? new Set()).add(kind));
      if (language === '') continue;
      languages.set(form, (languages.get(form) ?? new Set()).add(language));
    }
  }
  return { terms, languages };
}

/** Whether more of the common words of a text are English than of any other language; undefined if they do not tell. */
export function isEnglish(text: string): boolean | undefined {
  const counts = new Map<string, number>();
  for (const { raw, form } of wordsOf(text)) {
    const languages = /[^\0-\x7F]/.test(raw) ? ['other'] : (LANGUAGES.get(form) ?? []);
    for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const english = counts.get('en') ?? 0;
  counts.delete('en');
  const most = Math.max(0, ...counts.values());
  return english === most ? undefined : english > most;
}

/** Whether a text in search form is a term, of any or of one kind. */
export function isTerm(form: string, kind?: string): boolean {
  const kinds = TERMS.get(form);
  return kind === undefined ? kinds !== undefined : kinds?.has(kind) === true;
}

/** Whether a text has a word that is neither a number nor so common that it is near to anything. */
export function hasContent(text: string): boolean {
  return wordsOf(text).some(
    ({ form }) => /\p{L}/u.test(form) && !COMMON.some((kind) => isTerm(form, kind)),
  );
}

const COMMON = ['common', 'function', 'article', 'filler'];

/**
 * The kinds of terms that begin at each word, with their numbers of words: an order of kinds is not defined. Terms do not
 * cross dividers, except for a dash.
 */
export class Terms {
  /** For each word and kind, the length of the longest term. */
  readonly #at: readonly ReadonlyMap<string, number>[];

  constructor(words: readonly Word[]) {
    this.#at = words.map((_, from) => {
      const found = new Map<string, number>();
      let text = '';
      for (let length = 1; length <= MAX_TERM && from + length <= words.length; length++) {
        const { form, divider } = words[from + length - 1]!;
        if (length > 1 && (divider === 'comma' || divider === 'stop')) break;
        text += length === 1 ? form : ` ${form}`;
        for (const kind of TERMS.get(text) ?? []) found.set(kind, length);
      }
      return found;
    });
  }

  /** The number of words of the longest term of a kind that begins at a word; 0 if there is none. */
  length(at: number, kind: string): number {
    return this.#at[at]?.get(kind) ?? 0;
  }

  /** The first of some kinds that has the longest term at a word. */
  longest<Kind extends string>(at: number, kinds: readonly Kind[]): [Kind, number] | undefined {
    let best: [Kind, number] | undefined;
    for (const kind of kinds) {
      const length = this.length(at, kind);
      if (length > (best?.[1] ?? 0)) best = [kind, length];
    }
    return best;
  }

  /** A number that is written as words. */
  number(at: number): { value: number; length: number } | undefined {
    let best: { value: number; length: number } | undefined;
    for (const [kind, length] of this.#at[at] ?? []) {
      if (kind.startsWith('=') && length > (best?.length ?? 0)) {
        best = { value: Number(kind.slice(1)), length };
      }
    }
    return best;
  }
}
