import { searchForms, searchWords } from '../search-form.ts';
import { soundsOfName } from './sounds.ts';
import {
  hasSpellingSymbols,
  joinedCompounds,
  mayBeRespelled,
  otherSpellings,
  type Spelling,
} from './spelling.ts';

/** Marks the words of a form that the written name does not have, or does not begin with. */
const NEW = '\u0001';

/**
 * The other forms in which a name is found (docs/contract/search.md#other-forms): its other spellings, and the keys of its
 * romanizations. Each is a list of words with single spaces between them; `wordsOfForm` reads it.
 */
export function otherForms(name: string): string[] {
  const forms = otherSpellings(name).map(({ form }) => form);
  if (!ASCII.test(name)) {
    const joined = joinedCompounds(name);
    forms.push(...soundsOfName(name), ...(joined === name ? [] : soundsOfName(joined)));
  }
  if (forms.length === 0) return forms;
  const written = searchForms(name).map((form = '') => form.split(' '));
  const marked = (word: string, i: number) => {
    const isWritten =
      written.some((words) => words.includes(word)) &&
      (i > 0 || written.some(([first]) => first === word));
    return isWritten ? word : NEW + word;
  };
  const found = forms.map((form) => form.split(' ').map(marked).join(' '));
  return found.length === 1 ? found : [...new Set(found)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** The words of a form, and among them those that are new in it. */
export function wordsOfForm(form: string): { words: string[]; added: string[] } {
  const marked = form.split(' ');
  const bare = (word: string) => (word.startsWith(NEW) ? word.slice(1) : word);
  return {
    words: marked.map(bare),
    added: marked.filter((word) => word.startsWith(NEW)).map(bare),
  };
}

/** The words of a name as it is written, and of its other forms. */
export function wordsInAllForms(name: string): string[] {
  return [...searchWords(name), ...otherForms(name).flatMap((form) => wordsOfForm(form).words)];
}

/** Whether a text may have other forms, found fast. Most texts in ASCII have none. */
export function mayHaveOtherForms(text: string): boolean {
  if (!ASCII.test(text) || hasSpellingSymbols(text)) return true;
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).some(mayBeRespelled);
}

/** The other spellings of a text that is searched. */
export function spellingsOfText(text: string): Spelling[] {
  return mayHaveOtherForms(text) ? otherSpellings(text) : [];
}
