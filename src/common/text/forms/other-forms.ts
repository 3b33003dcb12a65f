import { searchWords } from '../search-form.ts';
import { soundsOfName, soundsOfText } from './sounds.ts';
import {
  hasSpellingSymbols,
  joinedCompounds,
  mayBeRespelled,
  otherSpellings,
  type Spelling,
} from './spelling.ts';

/** Marks the words of a form that the written name does not have. */
const NEW = '\u0001';

/**
 * The other forms in which a name is found (docs/contract/search.md#other-forms): its other spellings, and the keys of its
 * romanizations. Each is a list of words with single spaces between them; `wordsOfForm` reads it.
 */
export function otherForms(name: string): string[] {
  const written = new Set(searchWords(name));
  const joined = joinedCompounds(name);
  const sounds = [...soundsOfName(name), ...(joined === name ? [] : soundsOfName(joined))];
  const forms = new Set([...otherSpellings(name).map(({ form }) => form), ...sounds]);
  return Array.from(forms, (form) =>
    form
      .split(' ')
      .map((word) => (written.has(word) ? word : NEW + word))
      .join(' '),
  );
}

/** The words of a form, and among them those that the written name does not have. */
export function wordsOfForm(form: string): { words: string[]; added: string[] } {
  const marked = form.split(' ');
  const bare = (word: string) => (word.startsWith(NEW) ? word.slice(1) : word);
  return {
    words: marked.map(bare),
    added: marked.filter((word) => word.startsWith(NEW)).map(bare),
  };
}

/** Whether a text may have other forms, found fast. Most texts in ASCII have none. */
export function mayHaveOtherForms(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (!/^[\x00-\x7f]*$/.test(text) || hasSpellingSymbols(text)) return true;
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.some((word, i) => {
    const when = mayBeRespelled(word);
    return when === 'always' || (when === 'last' && i === words.length - 1);
  });
}

/** The other spellings of a text that is searched. */
export function spellingsOfText(text: string): Spelling[] {
  return mayHaveOtherForms(text) ? otherSpellings(text) : [];
}

export { soundsOfText };
