import type { SeededRandom } from '../../src/common/seeded-random.ts';
import { fold } from '../../src/common/text/search-form.ts';
import type { RealParts } from '../real-parts.ts';

/** The parts of queries. Each part is drawn as often as the catalog contains it. */
export class Vocabulary {
  /** The number of tracks of the catalog. */
  readonly size: number;
  /** The folded words of the names, each as often as the names contain it. */
  readonly #words: readonly string[];
  /** Pairs of words of three letters or more that begin a real name, and are therefore in the catalog. */
  readonly #pairs: readonly (readonly string[])[];
  readonly #filterLists: readonly (readonly string[])[];
  readonly #shares = new Map<string, number>();
  readonly #songKeys: readonly string[];
  /** Every word once, to check whether a text is inside a word; and all runs of four letters in them. */
  readonly #allWords: string;
  readonly #fours = new Set<string>();
  /** Words of three letters or more, the most frequent first. */
  readonly #frequentWords: readonly string[];

  constructor(parts: RealParts, size: number) {
    this.size = size;
    const beginnings = parts.beginnings.map((beginning) =>
      fold(beginning)
        .split(' ')
        .filter((word) => word !== ''),
    );
    this.#words = beginnings.flat();
    this.#pairs = beginnings.filter(
      (pair) => new Set(pair).size === 2 && pair.every((word) => [...word].length >= 3),
    );
    this.#filterLists = parts.filterLists.map((list) => list.map(({ id }) => id));
    for (const id of this.#filterLists.flat()) {
      this.#shares.set(id, (this.#shares.get(id) ?? 0) + 1 / this.#filterLists.length);
    }
    this.#songKeys = parts.songKeys;
    this.#frequentWords = byFrequency(this.#words.filter((word) => word.length >= 3));
    const allWords = new Set(this.#words);
    this.#allWords = [...allWords].join(' ');
    for (const word of allWords) {
      for (const four of fours(word)) this.#fours.add(four);
    }
  }

  /** A word with this number of letters. */
  word(random: SeededRandom, atLeast: number, atMost = Number.POSITIVE_INFINITY): string {
    for (;;) {
      const word = random.pick(this.#words);
      const { length } = [...word];
      if (length >= atLeast && length <= atMost) return word;
    }
  }

  /** Two words of three letters or more that some names contain together. */
  wordPair(random: SeededRandom): readonly string[] {
    return random.pick(this.#pairs);
  }

  /** One of the thirty most frequent words of three letters or more. */
  frequentWord(random: SeededRandom): string {
    return this.#frequentWords[random.integer(0, 29)]!;
  }

  filter(random: SeededRandom): string {
    return random.pick(random.pick(this.#filterLists));
  }

  /** Different filters that at least some tracks carry together. */
  filtersTogether(random: SeededRandom, count: number): string[] {
    for (;;) {
      const list = random.pick(this.#filterLists);
      if (list.length >= count) return shuffled(random, list).slice(0, count);
    }
  }

  /** The filters that most tracks carry, in any order. */
  densestFilters(random: SeededRandom, count: number): string[] {
    const densest = [...this.#shares].sort((a, b) => b[1] - a[1]).slice(0, count);
    return shuffled(
      random,
      densest.map(([id]) => id),
    );
  }

  /** The share of the tracks that carry a filter, from 0 to 1. */
  share(filterId: string): number {
    return this.#shares.get(filterId) ?? 0;
  }

  songKey(random: SeededRandom): string {
    return random.pick(this.#songKeys);
  }

  /** The word with this number of typos, such that no word of the names contains it. */
  mistyped(random: SeededRandom, word: string, typos: number): string {
    for (;;) {
      let typed = word;
      for (let i = 0; i < typos; i++) typed = withTypo(random, typed);
      if (typed.length >= 4 && !this.#isInsideAWord(typed)) return typed;
    }
  }

  /**
   * Checks the runs of four letters first, because the list of words is long and most texts have a run that
   * is in no word.
   */
  #isInsideAWord(text: string): boolean {
    return fours(text).every((four) => this.#fours.has(four)) && this.#allWords.includes(text);
  }
}

/** All runs of four units. */
function fours(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 3) }, (_, i) => text.slice(i, i + 4));
}

function withTypo(random: SeededRandom, word: string): string {
  const letters = [...word];
  const at = random.integer(0, letters.length - 1);
  const letter = random.pick([...'abcdefghijklmnopqrstuvwxyz']);
  switch (random.integer(0, 3)) {
    case 0:
      letters.splice(at, 1);
      break;
    case 1:
      letters.splice(at, 0, letter);
      break;
    case 2:
      letters[at] = letter;
      break;
    default:
      letters.splice(Math.max(0, at - 1), 2, letters[at]!, letters[Math.max(0, at - 1)]!);
  }
  return letters.join('');
}

function byFrequency(list: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
}

/** Returns the items in random order. */
export function shuffled<Item>(random: SeededRandom, list: readonly Item[]): Item[] {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const other = random.integer(0, i);
    [copy[i], copy[other]] = [copy[other]!, copy[i]!];
  }
  return copy;
}
