import { type TextLists, TextNumbers } from '../text/text-numbers.ts';
import { shared } from './columns.ts';

const TRACKS_PER_STEP = 16_384;

/** The ordinal of a track that is not in the segment: it is not live, or a later one replaces it. */
export const ABSENT = 0xffff_ffff;

/** Where collected tracks belong in the segment. */
export interface Places {
  /** The ordinal of each track, by its number, counted through all parts; ABSENT if it has none. */
  ordinals: Uint32Array;
  size: number;
}

/** The items of tracks by ordinal, end to end. `starts`: where the items of each track begin, and their end. */
export interface PlacedItems<T> {
  items: T;
  starts: Uint32Array;
}

/** Copies a fixed number of items of each track to its place, in steps of a few milliseconds. */
export function* placeFixed<T extends Uint8Array | Uint32Array | Float64Array>(
  parts: readonly T[],
  length: number,
  { ordinals }: Places,
  target: T,
): Generator<void> {
  let track = 0;
  for (const items of parts) {
    for (let from = 0; from < items.length; from += length, track++) {
      const ordinal = ordinals[track]!;
      if (ordinal === ABSENT) continue;
      for (let i = 0; i < length; i++) target[ordinal * length + i] = items[from + i]!;
      if (track % TRACKS_PER_STEP === 0) yield;
    }
  }
}

/** Copies the bytes of each track to its place, in steps of a few milliseconds. */
export function* placeBytes(
  parts: readonly { bytes: Uint8Array; ends: Uint32Array }[],
  places: Places,
): Generator<void, PlacedItems<Uint8Array>> {
  const starts = yield* startsOf(parts, places);
  const items = shared.bytes(starts[places.size]!);
  let track = 0;
  for (const { bytes, ends } of parts) {
    for (let i = 0, from = 0; i < ends.length; from = ends[i++]!, track++) {
      const ordinal = places.ordinals[track]!;
      if (ordinal === ABSENT) continue;
      let at = starts[ordinal]!;
      for (let k = from; k < ends[i]!; k++) items[at++] = bytes[k]!;
      if (track % TRACKS_PER_STEP === 0) yield;
    }
  }
  return { items, starts };
}

/**
 * Copies the list of each track to its place, in steps of a few milliseconds. The texts of all parts get common
 * numbers, in the order of their first occurrence. Texts that no placed track has are left out.
 */
export function* placeLists(
  parts: readonly TextLists[],
  places: Places,
): Generator<void, PlacedItems<Uint32Array> & { texts: string[] }> {
  const starts = yield* startsOf(parts, places);
  const items = shared.uint32(starts[places.size]!);
  const texts = new TextNumbers();
  let track = 0;
  for (const { texts: textsOfPart, numbers, ends } of parts) {
    /** For each text, its common number plus 1; 0 before its first occurrence in a track that has a place. */
    const numberOf = new Uint32Array(textsOfPart.length);
    for (let i = 0, from = 0; i < ends.length; from = ends[i++]!, track++) {
      const ordinal = places.ordinals[track]!;
      if (ordinal === ABSENT) continue;
      let at = starts[ordinal]!;
      for (let k = from; k < ends[i]!; k++) {
        const text = numbers[k]!;
        if (numberOf[text] === 0) numberOf[text] = texts.of(textsOfPart[text]!) + 1;
        items[at++] = numberOf[text]! - 1;
      }
      if (track % TRACKS_PER_STEP === 0) yield;
    }
  }
  return { items, starts, texts: texts.texts() };
}

/** Where the items of each ordinal begin, followed by where the last ones end. */
function* startsOf(
  parts: readonly { ends: Uint32Array }[],
  { ordinals, size }: Places,
): Generator<void, Uint32Array> {
  const starts = shared.uint32(size + 1);
  let track = 0;
  for (const { ends } of parts) {
    for (let i = 0, from = 0; i < ends.length; from = ends[i++]!, track++) {
      const ordinal = ordinals[track]!;
      if (ordinal !== ABSENT) starts[ordinal + 1] = ends[i]! - from;
      if (track % TRACKS_PER_STEP === 0) yield;
    }
  }
  for (let ordinal = 0; ordinal < size; ordinal++) starts[ordinal + 1]! += starts[ordinal]!;
  yield;
  return starts;
}
