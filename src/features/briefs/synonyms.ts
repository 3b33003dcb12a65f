import { readFileSync } from 'node:fs';
import { searchForm } from '../../common/text/search-form.ts';
import { readCsv } from './csv.ts';

/** What a word or phrase stands for. */
export interface Synonym {
  /** In search form. With a `*` at the end, up to three more letters may follow; with a `~` in front, it is a weak hint. */
  term: string;
  /** Names of filters or tags; a track of any of them is meant. */
  names: readonly string[];
  /** Whether it is behind `||` in its line: it is in another language than English. */
  isForeign?: true;
}

/** The greatest size of a file of synonyms. */
export const MAX_SYNONYM_BYTES = 2 * 1024 * 1024;
const MAX_SYNONYMS = 20_000;
const MAX_NAMES = 20;
const MAX_LENGTH = 100;
/** The mark of a term that is a weak hint. */
const WEAK = '~';
const STRONG_WEIGHT = 0.8;
export const WEAK_WEIGHT = 0.4;
/** The most letters that `*` stands for. */
const MAX_INFLECTION = 3;
const MAX_PROBLEMS = 10;

/**
 * Reads a file of synonyms: CSV with the heading `term,names`, in each line terms, and the names that each of them stands for,
 * with commas or bars between them. Terms have bars between them, and a `~` in front if they are a weak hint. A line that begins with `#` is a comment. Returns what is
 * wrong with it, by line, if anything is.
 */
export function parseSynonyms(text: string): { synonyms: Synonym[] } | { problems: string[] } {
  const rows = readCsv(text);
  if ('unclosedAt' in rows) return { problems: [`line ${rows.unclosedAt}: a quote is not closed`] };
  const [heading, ...others] = rows;
  if (heading?.cells[0]?.toLowerCase() !== 'term') {
    return { problems: ['line 1: the heading must be term,names'] };
  }
  const problems: string[] = [];
  const lines = new Map<string, number>();
  const synonyms = others.flatMap(({ line, cells: [terms = '', ...rest] }) => {
    if (terms.startsWith('#')) return [];
    const cells = rest.flatMap((cell) => cell.split('|')).map((name) => name.trim());
    const names = [...new Set(cells.filter((name) => name !== ''))];
    const wrong = problemOfNames(names);
    const [english = '', ...foreign] = terms.split('||').map((part) => part.split('|'));
    return [...english, ...foreign.flat()].flatMap((spelled, i): Synonym[] => {
      const written = spelled.trim();
      const form = searchForm(written);
      const known = written.endsWith('*') ? `${form}*` : form;
      const term = written.startsWith(WEAK) ? WEAK + known : known;
      const before = lines.get(known);
      lines.set(known, line);
      // Two spellings of one line may have the same form.
      if (before === line) return [];
      const isRepeated = before !== undefined;
      const problem = isRepeated
        ? `is in line ${before}, too`
        : (problemOf(form, written) ?? wrong);
      if (problem === undefined) {
        return [{ term, names, ...(i >= english.length && { isForeign: true }) }];
      }
      problems.push(`line ${line}: ${JSON.stringify(written)} ${problem}`);
      return [];
    });
  });
  if (synonyms.length > MAX_SYNONYMS) return { problems: [`more than ${MAX_SYNONYMS} terms`] };
  return problems.length > 0 ? { problems: problems.slice(0, MAX_PROBLEMS) } : { synonyms };
}

function problemOf(form: string, written: string): string | undefined {
  if (form === '') return 'must have a letter or digit';
  if (form.split(' ').length > MAX_TERM_WORDS) return `has more than ${MAX_TERM_WORDS} words`;
  if (written.slice(0, -1).includes('*')) return 'may have a * only at its end';
  return written.length > MAX_LENGTH ? TOO_LONG : undefined;
}

function problemOfNames(names: readonly string[]): string | undefined {
  if (names.length === 0) return 'must stand for at least one name';
  if (names.length > MAX_NAMES) return `has more than ${MAX_NAMES} names`;
  if (names.some((name) => name.length > MAX_LENGTH)) return TOO_LONG;
  const empty = names.find((name) => searchForm(name) === '');
  return empty === undefined ? undefined : `has the name ${empty} without a letter or digit`;
}

const TOO_LONG = `or one of its names is longer than ${MAX_LENGTH} characters`;

/** The most words of a term, as of a name that is found in a text. */
const MAX_TERM_WORDS = 8;

/** A synonym without its mark. */
export interface Hint extends Pick<Synonym, 'term' | 'names'> {
  weight: number;
  isForeign: boolean;
}

/** Synonyms, found by a phrase. */
export class Synonyms {
  readonly #hints: ReadonlyMap<string, Hint>;
  readonly #firsts: ReadonlySet<string>;

  /** Of equal terms, the last one counts. */
  constructor(synonyms: readonly Synonym[]) {
    const hints = synonyms.map(({ term: marked, names, isForeign = false }) => {
      const isWeak = marked.startsWith(WEAK);
      const term = isWeak ? marked.slice(WEAK.length) : marked;
      return { term, names, weight: isWeak ? WEAK_WEIGHT : STRONG_WEIGHT, isForeign };
    });
    this.#hints = new Map(hints.map((hint) => [hint.term, hint]));
    const several = hints.map(({ term }) => term.split(' ')).filter(({ length }) => length > 1);
    this.#firsts = new Set(several.map(([first]) => first!));
  }

  get all(): Iterable<Hint> {
    return this.#hints.values();
  }

  /** Whether a term of several words may begin with a word. */
  beginsWith(word: string): boolean {
    return this.#firsts.has(word);
  }

  /**
   * What a phrase in search form stands for.
   * @param lastWord the number of letters of its last word
   * @param leastStem how many of them an inflected term must have at least
   */
  hintOf(phrase: string, lastWord: number, leastStem = 1): Hint | undefined {
    let hint = this.#hints.get(phrase);
    const most = Math.min(MAX_INFLECTION, lastWord - leastStem);
    for (let cut = 0; hint === undefined && cut <= most; cut++) {
      hint = this.#hints.get(`${phrase.slice(0, phrase.length - cut)}*`);
    }
    return hint;
  }

  /** What the end or the beginning of a compound word stands for: `Weltraumabenteuer`, `schlittenfahren`. */
  hintOfPart(word: string): Hint | undefined {
    if (word.length < LEAST_COMPOUND) return undefined;
    const last = NO_COMPOUND.test(word) ? 0 : word.length - LEAST_PART;
    for (let from = LEAST_REST; from <= last; from++) {
      const end = word.slice(from);
      const hint = this.hintOf(end, end.length, LEAST_PART);
      if (hint !== undefined) return hint;
    }
    for (let to = word.length - LEAST_REST; to > LEAST_PART; to--) {
      const hint = this.hintOf(word.slice(0, to), 1);
      if (hint !== undefined) return hint;
    }
    return undefined;
  }
}

/** Letters of a compound word, of a part with a meaning, and of the rest. Shorter parts are often in other words. */
const [LEAST_COMPOUND, LEAST_PART, LEAST_REST] = [10, 6, 3];
/** Endings of other languages than German, in which words such as `situazione` end like another word. */
const NO_COMPOUND = /(?:ion(?:s|e|i|es)?|ment[eios]?|ory)$/;

/** The synonyms that Stave comes with. */
export function shippedSynonyms(): readonly Synonym[] {
  const read = parseSynonyms(readFileSync(new URL('./synonyms.csv', import.meta.url), 'utf8'));
  if ('problems' in read) throw new Error(`synonyms.csv: ${read.problems.join('; ')}`);
  return read.synonyms;
}
