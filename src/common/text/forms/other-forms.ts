import { searchForms, searchWords } from '../search-form.ts';
import { isKey, soundsOfName } from './sounds.ts';
import {
  hasSpellingSymbols,
  joinedCompounds,
  mayBeRespelled,
  otherSpellings,
  type Spelling,
} from './spelling.ts';

/** Marks the words of a form that the written name does not have, or does not begin with. */
const NEW = '\u0001';

/** Stands in a new word where one of its parts ends and the next begins; see `parted`. */
const CUT = '\u0002';

/**
 * The other forms in which a name is found (docs/contract/search.md#other-forms): its other spellings, and the keys of its
 * romanizations. Each is a list of words with single spaces between them; `wordsOfForm` reads it.
 */
export function otherForms(name: string): string[] {
  const searched = searchForms(name);
  const forms = otherSpellings(name, searched[0]).map(({ form }) => form);
  if (!ASCII.test(name)) {
    const joined = joinedCompounds(name);
    forms.push(...soundsOfName(name), ...(joined === name ? [] : soundsOfName(joined)));
  }
  if (forms.length === 0) return forms;
  const written = searched.map((form = '') => form.split(' '));
  const all = written.flat();
  const firsts = written.map(([first]) => first!);
  const marked = (word: string, i: number) => {
    const isOld =
      written.some((words) => words.includes(word)) &&
      (i > 0 || written.some(([first]) => first === word));
    return isOld ? word : NEW + parted(word, i === 0 ? firsts : all, all);
  };
  const found = forms.map((form) => form.split(' ').map(marked).join(' '));
  return found.length === 1 ? found : [...new Set(found)];
}

/**
 * A new word with marks between its parts: pieces of the written words, the first part a beginning of one, and single letters
 * that are not written. A text inside one part matches as written at least as well as by the form.
 */
function parted(word: string, firsts: readonly string[], all: readonly string[]): string {
  if (isKey(word)) return word;
  const parts: string[] = [];
  for (let from = 0; from < word.length; from += parts.at(-1)!.length) {
    const isWritten = (part: string) =>
      from === 0
        ? firsts.some((one) => one.startsWith(part))
        : all.some((one) => one.includes(part));
    let to = from + 1;
    while (to < word.length && isWritten(word.slice(from, to + 1))) to++;
    parts.push(word.slice(from, to));
  }
  return parts.join(CUT);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** The words of a form, and among them those that are new in it, with their parts. */
export function wordsOfForm(form: string): { words: string[]; added: readonly string[][] } {
  const marked = form.split(' ');
  return {
    words: marked.map((word) => (word.startsWith(NEW) ? word.slice(1).replaceAll(CUT, '') : word)),
    added: marked.filter((word) => word.startsWith(NEW)).map((word) => word.slice(1).split(CUT)),
  };
}

/** The words of a name as it is written, and of its other forms. */
export function wordsInAllForms(name: string): string[] {
  return [...searchWords(name), ...otherForms(name).flatMap((form) => wordsOfForm(form).words)];
}

/** Whether a text may have other forms, found fast. Most texts in ASCII have none. */
export function mayHaveOtherForms(text: string): boolean {
  return !ASCII.test(text) || hasSpellingSymbols(text) || mayBeRespelled(text);
}

/** The other spellings of a text that is searched. */
export function spellingsOfText(text: string): Spelling[] {
  return mayHaveOtherForms(text) ? otherSpellings(text) : [];
}
