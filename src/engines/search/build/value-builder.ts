import { otherForms, wordsOfForm } from '../../../common/text/forms/other-forms.ts';
import { hasSpellingSymbols, mayBeRespelled } from '../../../common/text/forms/spelling.ts';
import { searchForms } from '../../../common/text/search-form.ts';
import {
  type BitMemory,
  type DictionaryColumns,
  type DictionaryMeta,
  type FormColumns,
  inverted,
  type NameColumns,
  type NameOrderColumns,
  shared,
  type ValueColumns,
} from '../segments/columns.ts';
import { buildNameOrders } from '../segments/orders.ts';
import { type Places, placeFixed, placeLists } from '../segments/placed.ts';
import { densePieces, markTracks } from '../sets/dense-pieces.ts';
import { ListCollector, type TextLists, WordNumbers } from '../text/text-numbers.ts';
import { WordList } from '../text/word-list.ts';
import { buildDictionary, type Cuts } from './dictionary-builder.ts';
import { GrowingText, GrowingUint32 } from './growing.ts';

const WORDS_PER_STEP = 4_096;
const VALUES_PER_STEP = 512;
const TRACKS_PER_STEP = 16_384;

/** The values of a field, with their words. */
export interface BuiltValues {
  values: ValueColumns;
  words: DictionaryColumns;
  meta: DictionaryMeta;
}

/**
 * Builds the columns of a field from the values of each track, in steps of a few milliseconds.
 * @param memory where dense pieces of words get bitsets of the tracks; by default they get none
 */
export function* buildValues(
  parts: readonly TextLists[],
  places: Places,
  memory?: BitMemory,
): Generator<void, BuiltValues> {
  const { texts, items: values, starts: valueStarts } = yield* placeLists(parts, places);
  const count = texts.length;
  const { bytes, collected } = yield* namesOf(texts, new NameCollector());
  const { names, dictionary } = yield* buildNames([collected], asTheyCame(count), {});
  const owned = yield* inverted(values, valueStarts, count);
  const wordOwners = yield* ownersOfWords(dictionary.columns, owned);
  const dense =
    memory && (yield* denseIn(dictionary.columns, owned, wordOwners, places.size, memory));
  return {
    values: {
      ...names,
      ...(yield* buildNameOrders(names, count)),
      ...bytes,
      values,
      valueStarts,
      ...owned,
      wordOwners,
    },
    words: { ...dictionary.columns, ...(dense && { pieceBits: dense.pieceBits }) },
    meta: dense?.meta ?? dictionary.meta,
  };
}

/** Builds the columns of the other forms of a field from the forms of each track, in steps of a few milliseconds. */
export function* buildForms(
  parts: readonly TextLists[],
  places: Places,
): Generator<void, FormColumns> {
  const { texts, items: forms, starts } = yield* placeLists(parts, places);
  const count = texts.length;
  const { bytes, collected } = yield* namesOf(texts, new FormCollector());
  const { names, dictionary } = yield* buildNames([collected], asTheyCame(count), collected);
  const orders = yield* buildNameOrders(names, count, false);
  const owned = yield* inverted(forms, starts, count);
  const { columns } = dictionary;
  const posted = yield* tracksOfWords({ forms, starts }, names, columns.starts.length - 1);
  return { ...names, ...orders, ...bytes, ...owned, ...columns, ...posted };
}

/** The tracks of each new word of their forms. */
function* tracksOfWords(
  { forms, starts }: { forms: Uint32Array; starts: Uint32Array },
  { tokens, tokenStarts, splitStarts }: NameColumns,
  words: number,
): Generator<void, Pick<DictionaryColumns, 'postings' | 'postingStarts'>> {
  const added = new GrowingUint32();
  const addedStarts = new Uint32Array(starts.length);
  for (let track = 0; track + 1 < starts.length; track++) {
    for (let i = starts[track]!; i < starts[track + 1]!; i++) {
      const form = forms[i]!;
      for (let j = splitStarts[form]!; j < tokenStarts[form + 1]!; j++) added.push(tokens[j]!);
    }
    addedStarts[track + 1] = added.length;
    if (track % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  const { owners, ownerStarts } = yield* inverted(added.view, addedStarts, words);
  return { postings: owners, postingStarts: ownerStarts };
}

/** Builds the columns of some texts, or of other forms, in steps of a few milliseconds. */
export function* buildNamed(
  texts: readonly string[],
  areForms: boolean,
): Generator<void, BuiltNames & { orders: NameOrderColumns }> {
  const { collected } = yield* namesOf(texts, areForms ? new FormCollector() : new NameCollector());
  const built = yield* buildNames([collected], asTheyCame(texts.length), collected);
  const orders = yield* buildNameOrders(built.names, texts.length, !areForms);
  return { ...built, orders };
}

function asTheyCame(count: number): Places {
  return { ordinals: Uint32Array.from({ length: count }, (_, i) => i), size: count };
}

function* namesOf(
  texts: readonly string[],
  collector: NameCollector | FormCollector,
): Generator<
  void,
  { bytes: Pick<ValueColumns, 'texts' | 'textStarts'>; collected: CollectedNames }
> {
  const bytes = new GrowingText();
  const textStarts = shared.uint32(texts.length + 1);
  for (let i = 0; i < texts.length; i++) {
    collector.add(texts[i]!);
    bytes.push(texts[i]!);
    textStarts[i + 1] = bytes.length;
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
  }
  const column = shared.bytes(bytes.length);
  column.set(bytes.view);
  return { bytes: { texts: column, textStarts }, collected: collector.collected };
}

type Owned = Pick<ValueColumns, 'owners' | 'ownerStarts'>;

/** The sum of the numbers of tracks of the values that contain each word. */
function* ownersOfWords(
  { postings, postingStarts }: DictionaryColumns,
  { ownerStarts }: Owned,
): Generator<void, Uint32Array> {
  const wordOwners = shared.uint32(postingStarts.length - 1);
  for (let word = 0; word < wordOwners.length; word++) {
    for (let i = postingStarts[word]!; i < postingStarts[word + 1]!; i++) {
      const value = postings[i]!;
      wordOwners[word]! += ownerStarts[value + 1]! - ownerStarts[value]!;
    }
    if (word % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
  }
  return wordOwners;
}

function denseIn(
  dictionary: DictionaryColumns,
  { owners, ownerStarts }: Owned,
  wordOwners: Uint32Array,
  size: number,
  memory: BitMemory,
): ReturnType<typeof densePieces> {
  const { units, starts, postings, postingStarts } = dictionary;
  const list = new WordList(units, starts);
  return densePieces({
    words: Array.from({ length: list.length }, (_, word) => list.text(word)),
    grams: dictionary,
    size,
    memory,
    count: (word) => wordOwners[word]!,
    mark: (word, bits) => {
      for (let i = postingStarts[word]!; i < postingStarts[word + 1]!; i++) {
        const value = postings[i]!;
        markTracks(owners, ownerStarts[value]!, ownerStarts[value + 1]!, bits);
      }
    },
  });
}

/** Names as lists of words: first those of the glued form, then those of the split form. */
export interface CollectedNames extends TextLists {
  /** The number of words of the glued form of each name. */
  gluedCounts: Uint32Array;
  /** Of other forms: by word, where the parts of a new word meet. */
  cuts?: Cuts;
}

export class NameCollector {
  readonly #numbers = new WordNumbers();
  readonly #words = new ListCollector();
  readonly #gluedCounts = new GrowingUint32();
  /** By number, whether the word may give a name another spelling; undefined for words that were not read yet. */
  readonly #respelled: boolean[] = [];
  /** Whether a word of the last name may give it another spelling. */
  #isRespelled = false;

  /** Returns whether the name may have runs of symbols. */
  add(name: string): boolean {
    this.#isRespelled = false;
    const before = this.#words.length;
    const hasSymbols = this.#numbers.eachOfPlain(name, this.#addWord);
    const [glued, split] = hasSymbols === undefined ? searchForms(name) : ['', undefined];
    this.#addWords(glued);
    this.#gluedCounts.push(this.#words.length - before);
    if (split !== undefined) this.#addWords(split);
    this.#words.end();
    return hasSymbols ?? true;
  }

  /** Valid until the next `add`. */
  get collected(): CollectedNames {
    return { ...this.#words.collected(this.#numbers), gluedCounts: this.#gluedCounts.view };
  }

  /** The other forms of the name that was added last. */
  formsOf(name: string, mayHaveSymbols: boolean): readonly string[] {
    return this.#isRespelled || (mayHaveSymbols && hasSpellingSymbols(name))
      ? otherForms(name)
      : NO_FORMS;
  }

  readonly #addWord = (number: number) => {
    this.#words.add(number);
    if (this.#respelled[number] === undefined) {
      const word = this.#numbers.asciiWord(number);
      this.#respelled[number] = word === '' || mayBeRespelled(word);
    }
    if (this.#respelled[number]) this.#isRespelled = true;
  };

  #addWords(form: string): void {
    if (form === '') return;
    for (const word of form.split(' ')) this.#addWord(this.#numbers.of(word));
  }
}

const NO_FORMS: readonly string[] = [];

/** Collects other forms of texts. */
class FormCollector {
  readonly #numbers = new WordNumbers();
  readonly #words = new ListCollector();
  readonly #gluedCounts = new GrowingUint32();
  readonly #cuts = new Map<string, Set<number>>();

  add(form: string): void {
    const { words, added } = wordsOfForm(form);
    this.#gluedCounts.push(words.length);
    for (const word of words) this.#words.add(this.#numbers.of(word));
    for (const parts of added) {
      const word = parts.join('');
      this.#words.add(this.#numbers.of(word));
      this.#addCuts(word, parts);
    }
    this.#words.end();
  }

  /** Other names may have other parts of the same word. A word of one part is new as a whole. */
  #addCuts(word: string, parts: readonly string[]): void {
    const known = this.#cuts.get(word);
    if (known?.size === 0) return;
    const cuts = known ?? new Set();
    let at = 0;
    for (const part of parts.slice(0, -1)) {
      at += part.length;
      cuts.add(at);
    }
    if (parts.length === 1) cuts.clear();
    this.#cuts.set(word, cuts);
  }

  get collected(): CollectedNames {
    const gluedCounts = this.#gluedCounts.view;
    return { ...this.#words.collected(this.#numbers), gluedCounts, cuts: this.#cuts };
  }
}

export interface BuiltNames {
  names: NameColumns;
  dictionary: { columns: DictionaryColumns; meta: DictionaryMeta };
}

/**
 * Builds the columns of names, in steps of a few milliseconds. Each name gets the number of its place.
 * @param options.memory where dense pieces of words get bitsets; by default they get none
 * @param options.cuts of other forms, of which only the words of the split forms get postings, and none are found with typos
 */
export function* buildNames(
  parts: readonly CollectedNames[],
  places: Places,
  { memory, cuts }: { memory?: BitMemory | undefined; cuts?: Cuts | undefined },
): Generator<void, BuiltNames> {
  const { texts, items: tokens, starts: tokenStarts } = yield* placeLists(parts, places);
  const { size } = places;
  const splitStarts = shared.uint32(size);
  const gluedCounts = parts.map((part) => part.gluedCounts);
  yield* placeFixed(gluedCounts, 1, places, splitStarts);
  for (let name = 0; name < size; name++) splitStarts[name]! += tokenStarts[name]!;
  yield;
  const dictionary = yield* buildDictionary({
    texts,
    size,
    tokens,
    tokenStarts,
    memory,
    ...(cuts && { cuts, postedStarts: splitStarts, withTypos: false }),
  });
  return { names: { tokens, tokenStarts, splitStarts }, dictionary };
}
