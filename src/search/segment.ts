import type { IndexEntry } from '../catalog/catalog-index.ts';
import { fold } from '../catalog/fold.ts';
import type { TrackType } from '../catalog/track.ts';
import { type Dictionary, DictionaryBuilder } from './dictionary.ts';
import { type PostingList, PostingLists } from './posting-list.ts';
import { symbolRuns } from './text-query.ts';

/**
 * Tracks in catalog order, with all that a query asks of them. A track is known by its ordinal,
 * its place in that order. Never changes once built.
 */
export interface Segment {
  /** By ordinal. */
  entries: readonly IndexEntry[];
  ordinals: ReadonlyMap<string, number>;
  types: ReadonlyMap<TrackType, PostingList>;
  vocals: ReadonlyMap<boolean, PostingList>;
  filters: ReadonlyMap<string, PostingList>;
  isrcs: ReadonlyMap<string, PostingList>;
  names: FoldedNames;
  words: Dictionary;
  /** What stands between the words of names, where a text without letters is looked for. */
  symbols: Dictionary;
}

/** The order of the catalog: newest release first, then id (decisions §4). */
export function catalogOrder(a: IndexEntry, b: IndexEntry): number {
  return b.releasedAt - a.releasedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/**
 * Builds a segment in steps of some milliseconds each, for the caller to pause between. Entries
 * must be in catalog order, each id once.
 */
export function* buildSegment(entries: readonly IndexEntry[]): Generator<void, Segment> {
  const ordinals = new Map<string, number>();
  const types = new PostingLists<TrackType>();
  const vocals = new PostingLists<boolean>();
  const filters = new PostingLists<string>();
  const isrcs = new PostingLists<string>();
  const folded: string[] = [];
  const words = new DictionaryBuilder();
  const symbols = new DictionaryBuilder();
  for (const [ordinal, entry] of entries.entries()) {
    ordinals.set(entry.id, ordinal);
    types.add(entry.type, ordinal);
    vocals.add(entry.hasVocals, ordinal);
    for (const filterId of entry.filterIds) {
      filters.add(filterId, ordinal);
    }
    if (entry.isrc !== '') {
      isrcs.add(entry.isrc, ordinal);
    }
    const name = fold(entry.name);
    folded.push(name);
    for (const word of name.split(' ')) {
      if (word !== '') {
        words.add(word, ordinal);
      }
    }
    for (const run of symbolRuns(entry.name.normalize('NFC'))) {
      symbols.add(run, ordinal);
    }
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) {
      yield;
    }
  }
  const { length } = entries;
  const postings = {
    types: types.finish(length),
    vocals: vocals.finish(length),
    filters: filters.finish(length),
    isrcs: isrcs.finish(length),
  };
  yield;
  const names = new FoldedNames(folded);
  yield;
  return {
    entries,
    ordinals,
    ...postings,
    names,
    words: yield* words.finish(),
    symbols: yield* symbols.finish(),
  };
}

const TRACKS_A_STEP = 500;

/** The folded names by ordinal, end to end in one string: no object for each. */
export class FoldedNames {
  readonly #text: string;
  readonly #starts: Uint32Array;

  constructor(names: readonly string[]) {
    this.#text = names.join('\n');
    this.#starts = new Uint32Array(names.length + 1);
    for (const [i, name] of names.entries()) {
      this.#starts[i + 1] = this.#starts[i]! + name.length + 1;
    }
  }

  /** Whether the name begins with the folded text. */
  startsWith(ordinal: number, text: string): boolean {
    return this.#text.startsWith(text, this.#starts[ordinal]!);
  }

  lengthOf(ordinal: number): number {
    return this.#starts[ordinal + 1]! - this.#starts[ordinal]! - 1;
  }
}
