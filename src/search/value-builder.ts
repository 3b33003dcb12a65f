import {
  type DictionaryColumns,
  type DictionaryMeta,
  GrowingText,
  GrowingUint32,
  shared,
  type ValueColumns,
} from './columns.ts';
import { densePieces } from './dense-pieces.ts';
import { WordNumbers } from './dictionary-builder.ts';
import { NameBuilder } from './name-builder.ts';
import { buildNameOrders } from './orders.ts';
import { reordered } from './reordered.ts';
import { WordList } from './word-list.ts';

const TRACKS_A_STEP = 16_384;
const WORDS_A_STEP = 4_096;

/** Collects the values of a field, track by track. `finish` may be called once. */
export class ValueBuilder {
  readonly #numbers = new WordNumbers();
  readonly #names = new NameBuilder();
  readonly #texts = new GrowingText();
  readonly #textEnds = new GrowingUint32();
  readonly #values = new GrowingUint32();
  readonly #valueEnds = new GrowingUint32();

  /** Adds the values of the next track. Repeated values count once. */
  add(values: readonly string[]): void {
    const from = this.#values.length;
    for (const value of values) {
      const number = this.#numberOf(value.normalize('NFC'));
      if (!this.#values.view.includes(number, from)) this.#values.push(number);
    }
    this.#valueEnds.push(this.#values.length);
  }

  /**
   * Builds the columns, in steps of a few milliseconds. Ordinal `i` is the track that was added as number
   * `order[i]`.
   * @param withDensePieces whether dense pieces of words get bitsets of the tracks
   */
  *finish(
    order: Uint32Array,
    withDensePieces: boolean,
  ): Generator<void, { values: ValueColumns; words: DictionaryColumns; meta: DictionaryMeta }> {
    const count = this.#numbers.size;
    const asTheyCame = Uint32Array.from({ length: count }, (_, i) => i);
    const { names, dictionary } = yield* this.#names.finish(asTheyCame, false);
    const texts = shared.bytes(this.#texts.length);
    texts.set(this.#texts.view);
    const values = shared.uint32(this.#values.length);
    const valueStarts = yield* reordered(order, this.#values.view, this.#valueEnds.view, values);
    const owned = yield* ownersOf(values, valueStarts, count);
    const wordOwners = yield* ownersOfWords(dictionary.columns, owned);
    const dense = withDensePieces
      ? yield* denseIn(dictionary.columns, owned, wordOwners, order.length)
      : undefined;
    return {
      values: {
        ...names,
        ...(yield* buildNameOrders(names, count)),
        texts,
        textStarts: startsOf(this.#textEnds.view),
        values,
        valueStarts,
        ...owned,
        wordOwners,
      },
      words: { ...dictionary.columns, ...(dense && { pieceBits: dense.pieceBits }) },
      meta: dense?.meta ?? dictionary.meta,
    };
  }

  #numberOf(value: string): number {
    const known = this.#numbers.size;
    const number = this.#numbers.of(value);
    if (number === known) {
      this.#names.add(value);
      this.#texts.push(value);
      this.#textEnds.push(this.#texts.length);
    }
    return number;
  }
}

type Owned = Pick<ValueColumns, 'owners' | 'ownerStarts'>;

/** Makes the lists of tracks of the values from the values of the tracks. */
function* ownersOf(
  values: Uint32Array,
  valueStarts: Uint32Array,
  count: number,
): Generator<void, Owned> {
  // The values of replaced tracks are still in the column, after the end of the last range.
  const end = valueStarts[valueStarts.length - 1]!;
  const ownerStarts = shared.uint32(count + 1);
  for (let i = 0; i < end; i++) ownerStarts[values[i]! + 1]!++;
  for (let value = 0; value < count; value++) ownerStarts[value + 1]! += ownerStarts[value]!;
  yield;
  const owners = shared.uint32(end);
  const next = ownerStarts.slice();
  for (let ordinal = 0; ordinal + 1 < valueStarts.length; ordinal++) {
    for (let i = valueStarts[ordinal]!; i < valueStarts[ordinal + 1]!; i++) {
      owners[next[values[i]!]!++] = ordinal;
    }
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
  return { owners, ownerStarts };
}

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
    if (word % WORDS_A_STEP === WORDS_A_STEP - 1) yield;
  }
  return wordOwners;
}

/** Finds the dense pieces of the words of values. */
function denseIn(
  { units, starts, postings, postingStarts }: DictionaryColumns,
  { owners, ownerStarts }: Owned,
  wordOwners: Uint32Array,
  size: number,
): ReturnType<typeof densePieces> {
  const list = new WordList(units, starts);
  return densePieces({
    words: Array.from({ length: list.length }, (_, word) => list.text(word)),
    size,
    count: (word) => wordOwners[word]!,
    each: (word, visit) => {
      for (let i = postingStarts[word]!; i < postingStarts[word + 1]!; i++) {
        const value = postings[i]!;
        visit(owners.subarray(ownerStarts[value], ownerStarts[value + 1]));
      }
    },
  });
}

/** Where each text begins, followed by where the last one ends. */
function startsOf(ends: Uint32Array): Uint32Array {
  const starts = shared.uint32(ends.length + 1);
  starts.set(ends, 1);
  return starts;
}
