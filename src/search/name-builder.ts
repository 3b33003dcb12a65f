import { searchForms } from '../catalog/search-form.ts';
import {
  type DictionaryColumns,
  type DictionaryMeta,
  GrowingUint32,
  type NameColumns,
  shared,
} from './columns.ts';
import { buildDictionary } from './dictionary-builder.ts';
import { reorderedNumbers } from './reordered.ts';
import { joined, joinedLists, ListCollector, type TextLists } from './text-lists.ts';
import { WordNumbers } from './text-numbers.ts';

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
 * Builds the columns of names, in steps of a few milliseconds. Name `i` is the one that was added as number
 * `order[i]`, counted through all parts.
 * @param withDensePieces whether dense pieces of words get bitsets
 */
export function* buildNames(
  parts: readonly CollectedNames[],
  order: Uint32Array,
  withDensePieces: boolean,
): Generator<void, BuiltNames> {
  const { texts, numbers, ends } = yield* joinedLists(parts);
  const gluedCounts = joined(parts.map((part) => part.gluedCounts));
  const { items: tokens, starts: tokenStarts } = yield* reorderedNumbers(order, numbers, ends);
  const size = order.length;
  const splitStarts = shared.uint32(size);
  for (let i = 0; i < size; i++) {
    splitStarts[i] = tokenStarts[i]! + gluedCounts[order[i]!]!;
  }
  yield;
  const dictionary = yield* buildDictionary({ texts, size, tokens, tokenStarts, withDensePieces });
  return { names: { tokens, tokenStarts, splitStarts }, dictionary };
}
