import { madeInThread } from '../../common/threads/thread.ts';

/** The most sections that a search finds. */
const MAX_RESULTS = 20;
/** The most words of a search that count. */
const MAX_WORDS = 8;
/** Words from this length on also find the words that begin with them. */
const MIN_PREFIX_LENGTH = 3;

/** Words of questions, which say nothing about the subject. */
const IGNORED = new Set(
  'a an and are can do does for how i in is it my of on or the to what when where with you'.split(
    ' ',
  ),
);

/** A section of a guide: the text from one heading to the next one. */
export interface Section {
  /** The path of the page. */
  path: string;
  /** The title of the page. */
  title: string;
  heading: string;
  /** The id of the heading. */
  id: string;
  text: string;
}

/** All sections, and the places of their words. It consists of few objects, so that a thread can send it quickly. */
export interface GuideIndex {
  sections: readonly Section[];
  /** All words in order. */
  words: readonly string[];
  /** Where the places of each word end, and those of the next word begin. */
  ends: Uint32Array;
  /** Pairs: the number of a section that contains the word, and the weight of the word there. */
  places: Uint32Array;
}

/** Searches the sections of all guides by their words. */
export class GuideSearch {
  readonly #index: GuideIndex;

  private constructor(index: GuideIndex) {
    this.#index = index;
  }

  /** Makes the index in a thread, so that it delays no request. */
  static async load(): Promise<GuideSearch> {
    const worker = new URL('./guide-index-worker.ts', import.meta.url);
    return new GuideSearch(await madeInThread<GuideIndex>(worker));
  }

  /** Returns the sections that contain all words of the query, the best first. */
  find(query: string): Section[] {
    const [first, ...others] = queryWords(query).map((word) => this.#matches(word));
    if (first === undefined) return [];
    const found = [...first].flatMap(([number, weight]) => {
      const weights = others.map((matches) => matches.get(number));
      return weights.includes(undefined)
        ? []
        : [{ number, weight: weights.reduce<number>((sum, one) => sum + one!, weight) }];
    });
    return found
      .sort((a, b) => b.weight - a.weight || a.number - b.number)
      .slice(0, MAX_RESULTS)
      .map(({ number }) => this.#index.sections[number]!);
  }

  /** Returns the weights of the sections with a word or, if it is long enough, with its continuations. */
  #matches(word: string): Map<number, number> {
    const { words, ends, places } = this.#index;
    const all = new Map<number, number>();
    const fits = (found: string | undefined) =>
      word.length < MIN_PREFIX_LENGTH ? found === word : found?.startsWith(word);
    for (let at = firstNotBefore(words, word); fits(words[at]); at++) {
      // The exact word outweighs its continuations.
      const factor = words[at] === word ? 2 : 1;
      for (let place = ends[at - 1] ?? 0; place < ends[at]!; place += 2) {
        const section = places[place]!;
        all.set(section, (all.get(section) ?? 0) + factor * places[place + 1]!);
      }
    }
    return all;
  }
}

/** Returns the words of a query that count. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !IGNORED.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MAX_WORDS);
}

/** Returns the words of a text. Names with underscores, such as `rate_limited`, are one word. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function firstNotBefore(words: readonly string[], word: string): number {
  let from = 0;
  let to = words.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (words[middle]! < word) from = middle + 1;
    else to = middle;
  }
  return from;
}
