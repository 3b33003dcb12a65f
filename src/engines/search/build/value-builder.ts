import {
  type DictionaryColumns,
  type DictionaryMeta,
  shared,
  type ValueColumns,
} from '../segments/columns.ts';
import { buildNameOrders } from '../segments/orders.ts';
import { type Places, placeLists } from '../segments/placed.ts';
import { densePieces, markTracks } from '../sets/dense-pieces.ts';
import type { BitMemory } from '../sets/web-assembly.ts';
import type { TextLists } from '../text/text-lists.ts';
import { WordList } from '../text/word-list.ts';
import { GrowingText } from './growing.ts';
import { buildNames, type CollectedNames, NameCollector } from './name-builder.ts';

const TRACKS_PER_STEP = 16_384;
const WORDS_PER_STEP = 4_096;
const VALUES_PER_STEP = 512;

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
  const { bytes, collected } = yield* namesOf(texts);
  const asTheyCame = { ordinals: Uint32Array.from({ length: count }, (_, i) => i), size: count };
  const { names, dictionary } = yield* buildNames([collected], asTheyCame);
  const owned = yield* ownersOf(values, valueStarts, count);
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

/** The bytes and the words of the distinct values. */
function* namesOf(
  texts: readonly string[],
): Generator<
  void,
  { bytes: Pick<ValueColumns, 'texts' | 'textStarts'>; collected: CollectedNames }
> {
  const collector = new NameCollector();
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

/** Makes the lists of tracks of the values from the values of the tracks. */
function* ownersOf(
  values: Uint32Array,
  valueStarts: Uint32Array,
  count: number,
): Generator<void, Owned> {
  const end = values.length;
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
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
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
    if (word % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
  }
  return wordOwners;
}

/** Finds the dense pieces of the words of values. */
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
