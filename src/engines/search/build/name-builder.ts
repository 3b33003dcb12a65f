import { searchForms } from '../../../common/text/search-form.ts';
import {
  type DictionaryColumns,
  type DictionaryMeta,
  type NameColumns,
  shared,
} from '../segments/columns.ts';
import { type Places, placeFixed, placeLists } from '../segments/placed.ts';
import type { BitMemory } from '../sets/web-assembly.ts';
import { ListCollector, type TextLists } from '../text/text-lists.ts';
import { WordNumbers } from '../text/word-numbers.ts';
import { buildDictionary } from './dictionary-builder.ts';
import { GrowingUint32 } from './growing.ts';

/** Names as lists of words: first those of the glued form, then those of the split form. */
export interface CollectedNames extends TextLists {
  /** The number of words of the glued form of each name. */
  gluedCounts: Uint32Array;
}

/** Collects names as lists of words. */
export class NameCollector {
  readonly #numbers = new WordNumbers();
  readonly #words = new ListCollector();
  readonly #gluedCounts = new GrowingUint32();

  add(name: string): void {
    const before = this.#words.length;
    const isPlain = this.#numbers.eachOfPlain(name, this.#addWord);
    const [glued, split] = isPlain ? ['', undefined] : searchForms(name);
    this.#addWords(glued);
    this.#gluedCounts.push(this.#words.length - before);
    if (split !== undefined) this.#addWords(split);
    this.#words.end();
  }

  /** Good until the next `add`. */
  get collected(): CollectedNames {
    return { ...this.#words.collected(this.#numbers), gluedCounts: this.#gluedCounts.view };
  }

  readonly #addWord = (number: number) => this.#words.add(number);

  #addWords(form: string): void {
    if (form === '') return;
    for (const word of form.split(' ')) this.#addWord(this.#numbers.of(word));
  }
}

/** Names and their dictionary. */
export interface BuiltNames {
  names: NameColumns;
  dictionary: { columns: DictionaryColumns; meta: DictionaryMeta };
}

/**
 * Builds the columns of names, in steps of a few milliseconds. Each name gets the number of its place.
 * @param memory where dense pieces of words get bitsets; by default they get none
 */
export function* buildNames(
  parts: readonly CollectedNames[],
  places: Places,
  memory?: BitMemory,
): Generator<void, BuiltNames> {
  const { texts, items: tokens, starts: tokenStarts } = yield* placeLists(parts, places);
  const { size } = places;
  const splitStarts = shared.uint32(size);
  const gluedCounts = parts.map((part) => part.gluedCounts);
  yield* placeFixed(gluedCounts, 1, places, splitStarts);
  for (let name = 0; name < size; name++) splitStarts[name]! += tokenStarts[name]!;
  yield;
  const dictionary = yield* buildDictionary({ texts, size, tokens, tokenStarts, memory });
  return { names: { tokens, tokenStarts, splitStarts }, dictionary };
}
