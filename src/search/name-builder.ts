import { searchForms } from '../catalog/search-form.ts';
import {
  type DictionaryColumns,
  type DictionaryMeta,
  GrowingUint32,
  type NameColumns,
  shared,
} from './columns.ts';
import { buildDictionary, WordNumbers } from './dictionary-builder.ts';
import { reordered } from './reordered.ts';

/** Collects names as lists of words, and builds their dictionary. `finish` may be called once. */
export class NameBuilder {
  readonly #numbers = new WordNumbers();
  readonly #tokens = new GrowingUint32();
  readonly #tokenEnds = new GrowingUint32();
  readonly #gluedCounts = new GrowingUint32();

  add(name: string): void {
    const [glued, split] = searchForms(name);
    this.#gluedCounts.push(this.#addWords(glued));
    if (split !== undefined) this.#addWords(split);
    this.#tokenEnds.push(this.#tokens.length);
  }

  /**
   * Builds the columns, in steps of a few milliseconds. Name `i` is the one that was added as number
   * `order[i]`.
   * @param withDensePieces whether dense pieces of words get bitsets
   */
  *finish(
    order: Uint32Array,
    withDensePieces: boolean,
  ): Generator<
    void,
    { names: NameColumns; dictionary: { columns: DictionaryColumns; meta: DictionaryMeta } }
  > {
    const size = order.length;
    const tokens = shared.uint32(this.#tokens.length);
    const tokenStarts = yield* reordered(order, this.#tokens.view, this.#tokenEnds.view, tokens);
    const splitStarts = shared.uint32(size);
    for (let i = 0; i < size; i++) {
      splitStarts[i] = tokenStarts[i]! + this.#gluedCounts.at(order[i]!);
    }
    yield;
    const dictionary = yield* buildDictionary({
      numbers: this.#numbers,
      size,
      tokens,
      tokenStarts,
      withDensePieces,
    });
    return { names: { tokens, tokenStarts, splitStarts }, dictionary };
  }

  /** Adds the words of a form, and returns their number. */
  #addWords(form: string): number {
    if (form === '') return 0;
    const words = form.split(' ');
    for (const word of words) this.#tokens.push(this.#numbers.of(word));
    return words.length;
  }
}
