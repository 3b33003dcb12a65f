import { ISRC_LENGTH, inverted, type SegmentColumns } from '../segments/columns.ts';
import type { TextLists } from '../text/text-numbers.ts';
import { WordList } from '../text/word-list.ts';
import type { CollectedTracks, CollectedValues } from './track-collector.ts';

const TRACKS_PER_STEP = 16_384;
const TEXTS_PER_STEP = 2_048;

/**
 * Takes the live tracks of a segment apart again, in steps of a few milliseconds. The result is what a
 * TrackCollector would collect from them, but no name is read again. It may contain texts that no live track
 * has; a build leaves them out.
 * @param live the live tracks, as a bitset
 */
export function* collectedFrom(
  columns: SegmentColumns,
  live: Uint32Array,
): Generator<void, CollectedTracks> {
  const { meta, tracks, words, symbols } = columns;
  const kept = new LiveTracks(meta.size, live);
  yield;
  const gluedCounts = new Uint32Array(meta.size);
  for (let ordinal = 0; ordinal < meta.size; ordinal++) {
    gluedCounts[ordinal] = tracks.splitStarts[ordinal]! - tracks.tokenStarts[ordinal]!;
  }
  yield;
  // A segment has only the tracks of each run of symbols.
  const runs = yield* inverted(
    symbols.postings,
    symbols.postingStarts,
    meta.size,
    (length) => new Uint32Array(length),
  );
  return {
    values: yield* valuesOf(tracks, kept),
    words: {
      texts: yield* wordsOf(words),
      ...(yield* kept.lists(tracks.tokens, tracks.tokenStarts)),
      gluedCounts: yield* kept.fixed(gluedCounts, 1, new Uint32Array(kept.count)),
    },
    artists: yield* fieldOf(columns.artists, kept),
    tags: yield* fieldOf(columns.tags, kept),
    aliases: yield* fieldOf(columns.aliases, kept),
    aliasTags: yield* fieldOf(columns.aliasTags, kept),
    symbols: {
      texts: yield* wordsOf(symbols),
      ...(yield* kept.lists(runs.owners, runs.ownerStarts)),
    },
    labels: { texts: meta.labels, ...(yield* kept.lists(tracks.labels, tracks.labelStarts)) },
  };
}

class LiveTracks {
  readonly #ordinals: Uint32Array;
  readonly #areAll: boolean;

  constructor(size: number, live: Uint32Array) {
    const ordinals = new Uint32Array(size);
    let count = 0;
    for (let ordinal = 0; ordinal < size; ordinal++) {
      if ((live[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0) ordinals[count++] = ordinal;
    }
    this.#ordinals = ordinals.subarray(0, count);
    this.#areAll = count === size;
  }

  get count(): number {
    return this.#ordinals.length;
  }

  *fixed<T extends Uint8Array | Uint32Array | Float64Array>(
    items: T,
    length: number,
    target: T,
  ): Generator<void, T> {
    if (this.#areAll) return items;
    for (let at = 0; at < this.count; at++) {
      const from = this.#ordinals[at]! * length;
      for (let i = 0; i < length; i++) target[at * length + i] = items[from + i]!;
      if (at % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
    }
    return target;
  }

  *lists(numbers: Uint32Array, starts: Uint32Array): Generator<void, Omit<TextLists, 'texts'>> {
    if (this.#areAll) return { numbers, ends: starts.subarray(1) };
    const ends = this.#ends(starts);
    const target = new Uint32Array(ends.at(-1) ?? 0);
    yield* this.#copy(numbers, starts, target);
    return { numbers: target, ends };
  }

  *bytes(
    bytes: Uint8Array,
    starts: Uint32Array,
  ): Generator<void, { bytes: Uint8Array; ends: Uint32Array }> {
    if (this.#areAll) return { bytes, ends: starts.subarray(1) };
    const ends = this.#ends(starts);
    const target = new Uint8Array(ends.at(-1) ?? 0);
    yield* this.#copy(bytes, starts, target);
    return { bytes: target, ends };
  }

  #ends(starts: Uint32Array): Uint32Array {
    let end = 0;
    return this.#ordinals.map((ordinal) => {
      end += starts[ordinal + 1]! - starts[ordinal]!;
      return end;
    });
  }

  *#copy<T extends Uint8Array | Uint32Array>(
    items: T,
    starts: Uint32Array,
    target: T,
  ): Generator<void> {
    let to = 0;
    for (let at = 0; at < this.count; at++) {
      const ordinal = this.#ordinals[at]!;
      const end = starts[ordinal + 1]!;
      for (let i = starts[ordinal]!; i < end; i++) target[to++] = items[i]!;
      if (at % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
    }
  }
}

function* valuesOf(
  tracks: SegmentColumns['tracks'],
  kept: LiveTracks,
): Generator<void, CollectedValues> {
  const { count } = kept;
  const names = yield* kept.bytes(tracks.names, tracks.nameStarts);
  return {
    rowIds: yield* kept.fixed(tracks.rowIds, 1, new Uint32Array(count)),
    ids: yield* kept.fixed(tracks.ids, 4, new Uint32Array(count * 4)),
    releasedAt: yield* kept.fixed(tracks.releasedAt, 1, new Float64Array(count)),
    durations: yield* kept.fixed(tracks.durations, 1, new Uint32Array(count)),
    bpms: yield* kept.fixed(tracks.bpms, 1, new Uint32Array(count)),
    isrcs: yield* kept.fixed(tracks.isrcs, ISRC_LENGTH, new Uint8Array(count * ISRC_LENGTH)),
    names: names.bytes,
    nameEnds: names.ends,
  };
}

function* fieldOf(field: SegmentColumns['artists'], kept: LiveTracks): Generator<void, TextLists> {
  return {
    texts: yield* textsOf(field),
    ...(yield* kept.lists(field.values, field.valueStarts)),
  };
}

function* wordsOf({ units, starts }: WordUnits): Generator<void, string[]> {
  const list = new WordList(units, starts);
  const words: string[] = [];
  for (let word = 0; word < list.length; word++) {
    words.push(list.text(word));
    if (word % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
  }
  return words;
}

type WordUnits = Pick<SegmentColumns['words'], 'units' | 'starts'>;

function* textsOf({ texts, textStarts }: SegmentColumns['artists']): Generator<void, string[]> {
  const found: string[] = [];
  for (let value = 0; value + 1 < textStarts.length; value++) {
    // Decoders refuse shared memory, so the bytes are copied first.
    const bytes = Buffer.from(texts.subarray(textStarts[value], textStarts[value + 1]));
    found.push(bytes.toString());
    if (value % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
  }
  return found;
}
