import { type SortKeys, sortByKeys, sortedInSteps } from '../build/steps.ts';
import { partitionPoint } from '../sets/bits.ts';
import { compareNaturally, sortedForm } from '../text/sort-names.ts';
import type { WordList } from '../text/word-list.ts';
import { type NameColumns, type NameOrderColumns, type OrderColumns, shared } from './columns.ts';

/** The number of words of a name that are keys of a sort. Few names have more words in common. */
const KEYS = 3;
/** The key of a name without a word at a position. The words begin with 1. */
const NO_WORD = 0;

/**
 * Sorts the names by each of their forms, in steps of a few milliseconds.
 * @param areSplit whether names may have a split form
 */
export function* buildNameOrders(
  { tokens, tokenStarts, splitStarts }: NameColumns,
  size: number,
  areSplit = true,
): Generator<void, NameOrderColumns> {
  const byName = shared.uint32(size);
  let splits = 0;
  for (let name = 0; name < size; name++) {
    byName[name] = name;
    if (areSplit && splitStarts[name]! < tokenStarts[name + 1]!) splits++;
  }
  yield;
  const bySplitName = shared.uint32(splits);
  for (let name = 0, at = 0; areSplit && name < size; name++) {
    if (splitStarts[name]! < tokenStarts[name + 1]!) bySplitName[at++] = name;
  }
  yield* sortByWords(byName, tokens, tokenStarts, splitStarts);
  yield* sortByWords(bySplitName, tokens, splitStarts, tokenStarts.subarray(1));
  return { byName, bySplitName };
}

/** Sorts the names without their articles and by the values of the numbers in them, in steps of a few milliseconds. */
export function* buildSortOrder(
  { tokens, tokenStarts, splitStarts }: NameColumns,
  words: WordList,
  articles: readonly string[],
  size: number,
): Generator<void, Pick<OrderColumns, 'bySortedName' | 'nameRanks'>> {
  const isArticle = articleTest(words, articles, tokens);
  const starts = new Uint32Array(size);
  const ends = new Uint32Array(size);
  const bySortedName = shared.uint32(size);
  for (let name = 0; name < size; name++) {
    const places = {
      start: tokenStarts[name]!,
      middle: splitStarts[name]!,
      end: tokenStarts[name + 1]!,
    };
    [starts[name], ends[name]] = sortedForm(places, isArticle);
    bySortedName[name] = name;
    if (name % NAMES_PER_STEP === NAMES_PER_STEP - 1) yield;
  }
  const ranks = yield* naturalRanks(words);
  const ranked = tokens.map((token) => ranks[token]!);
  yield;
  yield* sortByWords(bySortedName, ranked, starts, ends);
  const nameRanks = shared.uint32(size);
  for (let rank = 0; rank < size; rank++) nameRanks[bySortedName[rank]!] = rank;
  return { bySortedName, nameRanks };
}

const NAMES_PER_STEP = 16_384;

/** Whether a word of a name is an article; an elided one is only in the split form. */
export function articleTest(
  words: WordList,
  articles: readonly string[],
  tokens: Uint32Array,
): (at: number, isElided: boolean) => boolean {
  const numbers = (isElided: boolean) => {
    const some = articles.filter((article) => article.endsWith("'") === isElided);
    return new Set(some.map((article) => words.positionOf(article.replace("'", ''))));
  };
  const [whole, elided] = [numbers(false), numbers(true)];
  return (at, isElided) => (isElided ? elided : whole).has(tokens[at]!);
}

/** Returns the place of each word in the natural order. Only words with digits change places. */
function* naturalRanks(words: WordList): Generator<void, Uint32Array> {
  const texts = new Map<number, string>();
  const order = new Uint32Array(words.length);
  for (let word = 0; word < words.length; word++) {
    order[word] = word;
    const text = words.text(word);
    if (/[0-9]/.test(text)) texts.set(word, text);
    if (word % NAMES_PER_STEP === NAMES_PER_STEP - 1) yield;
  }
  yield* sortedInSteps(order, (a, b) => {
    const [one, other] = [texts.get(a), texts.get(b)];
    return one === undefined || other === undefined ? a - b : compareNaturally(one, other);
  });
  const ranks = new Uint32Array(words.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank;
  return ranks;
}

/**
 * Sorts names by the UTF-16 units of a form. The words can be compared one by one, because the space between
 * words is less than every unit of a word. Names without a word come last.
 */
function* sortByWords(
  names: Uint32Array,
  tokens: Uint32Array,
  starts: Uint32Array,
  ends: Uint32Array,
): Generator<void> {
  const wordsAt = (position: number) => {
    const words = new Uint32Array(starts.length);
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      const token = starts[name]! + position;
      words[name] = token < ends[name]! ? tokens[token]! + 1 : NO_WORD;
    }
    return { words };
  };
  const compareRest = (a: number, b: number): number => {
    let i = starts[a]! + KEYS;
    let j = starts[b]! + KEYS;
    for (; i < ends[a]! && j < ends[b]!; i++, j++) {
      if (tokens[i] !== tokens[j]) return tokens[i]! - tokens[j]!;
    }
    // If one form ends before the words that are compared here, the other one is equal.
    return Math.max(ends[a]! - i, 0) - Math.max(ends[b]! - j, 0) || a - b;
  };
  const keys: SortKeys[] = [];
  for (let position = 0; position < KEYS; position++) {
    keys.push(wordsAt(position));
    yield;
  }
  yield* sortByKeys(names, keys, compareRest);
  // A name ends before each longer one, but a name without a word comes last.
  const empty = partitionPoint(0, names.length, (i) => keys[0]!.words[names[i]!] === NO_WORD);
  const withoutWord = names.slice(0, empty);
  names.copyWithin(0, empty);
  names.set(withoutWord, names.length - empty);
}

/** Sorts ascending; 0, which means unknown, comes last. */
export function* orderByNumber(numbers: Uint32Array): Generator<void, Uint32Array> {
  const order = shared.uint32(numbers.length);
  const words = new Uint32Array(numbers.length);
  for (let i = 0; i < order.length; i++) {
    order[i] = i;
    // 0 becomes the greatest number.
    words[i] = numbers[i]! - 1;
  }
  yield;
  yield* sortByKeys(order, [{ words }]);
  return order;
}
