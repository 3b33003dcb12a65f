import { otherForms, spellingsOfText, wordsOfForm } from '../../common/text/forms/other-forms.ts';
import { KEY_KINDS, soundsOfText } from '../../common/text/forms/sounds.ts';
import { fold, searchForms, unfinishedForm } from '../../common/text/search-form.ts';

/**
 * The rank of a text in names. Each word of the text must be in one of `all`. `some` are the names that may
 * equal the text or begin with it.
 */
export type Ranking = (
  all: readonly Reading[],
  some: readonly Reading[],
  text: Reading,
) => number | undefined;

/** A name or a text, in the forms in which they are compared. */
export interface Reading {
  literal: string;
  /** The search form glued at apostrophes. */
  glued: string;
  /** The search form split at apostrophes; the same as `glued` if there are none. */
  split: string;
  /** The words of both forms. */
  words: readonly string[];
  /** The other forms, if it is a name, and their words. */
  forms: readonly string[];
  formWords: readonly string[];
  /** The other readings, if it is a text: its spellings, and the keys that only forms of names have. */
  others(withKeys: boolean): readonly [form: string, worst: number, romanized?: string][];
  hasLetterOrDigit: boolean;
}

const readings = new Map<string, Reading>();

export function readingOf(text: string): Reading {
  let reading = readings.get(text);
  if (reading === undefined) {
    reading = newReadingOf(text);
    if (readings.size === 10_000) readings.clear();
    readings.set(text, reading);
  }
  return reading;
}

function newReadingOf(text: string): Reading {
  const literal = text.normalize('NFC');
  const [glued, split = glued] = searchForms(literal);
  const hasLetterOrDigit = [...literal].some(
    (one) => /[\p{L}\p{N}]/u.test(one) && fold(one) !== '',
  );
  const forms = otherForms(literal).map((form) => wordsOfForm(form).words.join(' '));
  const spellings = spellingsOfText(literal).map(({ form, isWhole }): [string, number] => [
    form,
    isWhole ? WHOLE_WORDS : INSIDE_KIND,
  ]);
  const keys = KEY_KINDS.flatMap((kind) =>
    [glued, ...spellings.map(([form]) => form)].flatMap((form) =>
      soundsOfText(form, kind).map((key): [string, number, string] => [key, INSIDE_KIND, form]),
    ),
  );
  return {
    literal,
    glued,
    split,
    words: [glued, split].flatMap(wordsOf),
    forms,
    formWords: forms.flatMap(wordsOf),
    others: (withKeys) => (withKeys ? [...spellings, ...keys] : spellings),
    hasLetterOrDigit,
  };
}

function wordsOf(form: string): string[] {
  return form === '' ? [] : form.split(' ');
}

/**
 * The kinds of matches of docs/contract/search.md#ranks that this file names, by their number there. Each of the first six is
 * two ranks: as written, and by other forms.
 */
const [INSIDE_KIND, STARTS, WHOLE_WORDS] = [6, 2, 3];
/** The ranks of the best match, and of the first match that is only inside words. */
export const [EQUAL, INSIDE] = [asWritten(1), asWritten(INSIDE_KIND)];
const [ONE_TYPO, MORE_TYPOS] = [asWritten(7), asWritten(8)];

function asWritten(kind: number): number {
  return 2 * kind - 1;
}

export const rank: Ranking = (all, some, text) => {
  if (!text.hasLetterOrDigit) {
    return best(some.map((name) => literalRank(name.literal, text.literal)));
  }
  const unfinished = unfinishedForm(text.glued);
  const readings: [form: string, worst: number][] = [
    [text.glued, INSIDE_KIND],
    // A text that is split at its apostrophes matches only whole words.
    ...(text.split === text.glued ? [] : [[text.split, WHOLE_WORDS] as [string, number]]),
    ...(unfinished === undefined ? [] : [[unfinished, INSIDE_KIND] as [string, number]]),
  ];
  const written = readings.map(([form, worst]) => kindOf(wordsIn(all), formsOf(some), form, worst));
  const hasForms = all.some(({ forms }) => forms.length > 0);
  const isOfOneField = all.length === some.length;
  const others = text.others(hasForms);
  const otherwise = [...(hasForms ? readings : []), ...others].map(([form, worst, romanized]) =>
    kindOf(
      [...wordsIn(all), ...all.flatMap((name) => name.formWords)],
      [...formsOf(some), ...some.flatMap(({ forms }) => forms)],
      form,
      worst,
      isOfOneField ? undefined : romanized,
    ),
  );
  const [bestWritten, bestOtherwise] = [best(written), best(otherwise)];
  return best([
    bestWritten === undefined ? undefined : asWritten(bestWritten),
    bestOtherwise === undefined ? undefined : asWritten(bestOtherwise) + 1,
  ]);
};

function best(ranks: readonly (number | undefined)[]): number | undefined {
  const least = Math.min(...ranks.filter((one) => one !== undefined));
  return least === Number.POSITIVE_INFINITY ? undefined : least;
}

/** Half of a surrogate pair is not a character, so it does not match inside a name. */
function literalRank(name: string, text: string): number | undefined {
  if (name === text) return EQUAL;
  if (name.startsWith(text)) return asWritten(STARTS);
  return text.isWellFormed() && name.includes(text) ? INSIDE : undefined;
}

function formsOf(names: readonly Reading[]): string[] {
  return names.flatMap(({ glued, split }) => [glued, split]);
}

function wordsIn(names: readonly Reading[]): string[] {
  return names.flatMap(({ words }) => words);
}

/** The kind of the best match of a form of a text. */
function kindOf(
  nameWords: readonly string[],
  forms: readonly string[],
  text: string,
  worst: number,
  romanized = text,
): number | undefined {
  const words = wordsOf(text);
  const isAligned = wordsOf(romanized).length === words.length;
  const written = isAligned ? wordsOf(romanized) : words;
  const eachWord = (how: (there: string, word: string) => boolean) =>
    words.every((word) =>
      nameWords.some((there) => how(there, word) || how(there, written[words.indexOf(word)]!)),
    );
  const holds = [
    () => forms.includes(text),
    () => forms.some((form) => form.startsWith(`${text} `)),
    () => eachWord((there, word) => there === word),
    () => forms.some((form) => form.startsWith(text)),
    () => eachWord((there, word) => there.startsWith(word)),
    () => eachWord((there, word) => there.includes(word)),
  ];
  const first = 1 + holds.findIndex((one) => one());
  return first === 0 || first > worst ? undefined : first;
}

export const typoRank: Ranking = (all, _some, text) => {
  const nameWords = all.flatMap(({ words }) => words);
  const typos = wordsOf(text.glued).map((word) => {
    const letters = [...word].length;
    const tolerated = letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
    const needed = nameWords.map((there) => (there.includes(word) ? 0 : alignment(word, there)));
    const least = Math.min(...needed);
    return least <= tolerated ? least : undefined;
  });
  if (!text.hasLetterOrDigit || typos.includes(undefined)) {
    return undefined;
  }
  // A repeated word counts once.
  const byWord = new Map(wordsOf(text.glued).map((word, i) => [word, typos[i]!]));
  const sum = [...byWord.values()].reduce((a, b) => a + b, 0);
  return sum <= 1 ? ONE_TYPO : MORE_TYPOS;
};

/** The optimal string alignment distance, computed by its table. */
export function alignment(one: string, other: string): number {
  const a = [...one];
  const b = [...other];
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = least;
    }
  }
  return table[a.length]![b.length]!;
}
