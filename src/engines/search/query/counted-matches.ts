import { maskBetween, partitionPoint } from '../sets/bits.ts';
import { type Matches, SortedMatches, WordVisitor } from '../sets/matches.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { FormMatches, Standing } from '../text/conditions.ts';
import type { Beginnings, Occurrences, TextField } from '../text/text-field.ts';
import type { Restrictions } from './restrictions.ts';

/** The cost of reading one track, in tracks that the bit kernel processes in the same time. */
const TRACKS_A_READ = 8;

/** How many matches are read at a time: about a page. */
const MATCHES_A_PAGE = 32;

/**
 * The tracks that have several labels, if their number is known without counting. A page of them is read from
 * the bitsets of the labels; the whole set is written only when most of it is needed.
 */
export class CommonMatches implements Matches {
  readonly count: number;
  readonly #restrictions: Restrictions;
  readonly #write: () => TrackSet;
  #set: TrackSet | undefined;

  /**
   * @param restrictions restrict only labels
   * @param write writes the same tracks into a set that stays valid for the current query
   */
  constructor(count: number, restrictions: Restrictions, write: () => TrackSet) {
    this.count = count;
    this.#restrictions = restrictions;
    this.#write = write;
  }

  has(ordinal: number): boolean {
    return this.#restrictions.admits(ordinal);
  }

  countBetween(from: number, to: number): number {
    return this.#written().countBetween(from, to);
  }

  copyTo(set: TrackSet): void {
    const { candidates, bitsets, from, to } = this.#restrictions;
    if (candidates === undefined) set.become(bitsets, from, to);
    else this.#written().copyTo(set);
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    const { candidates, bitsets } = this.#restrictions;
    if (candidates !== undefined) {
      this.#visitCandidates(candidates, from, to, skip, visit);
    } else if (this.#set !== undefined || (skip + MATCHES_A_PAGE) * TRACKS_A_READ > this.count) {
      this.#written().visit(from, to, skip, visit);
    } else {
      walk(bitsets, from, to, skip, visit);
    }
  }

  #visitCandidates(
    candidates: Uint32Array,
    from: number,
    to: number,
    skip: number,
    visit: (ordinal: number) => boolean,
  ): void {
    let left = skip;
    let i = partitionPoint(0, candidates.length, (at) => candidates[at]! < from);
    for (; i < candidates.length && candidates[i]! < to; i++) {
      if (!this.#restrictions.admits(candidates[i]!, true)) continue;
      if (left > 0) left--;
      else if (visit(candidates[i]!)) return;
    }
  }

  #written(): TrackSet {
    this.#set ??= this.#write();
    return this.#set;
  }
}

function walk(
  [first, ...others]: readonly Uint32Array[],
  from: number,
  to: number,
  skip: number,
  visit: (ordinal: number) => boolean,
): void {
  const visitor = new WordVisitor(skip, visit);
  for (let i = from >>> 5; i << 5 < to; i++) {
    let word = first![i]! & maskBetween(i, from, to);
    for (let j = 0; j < others.length && word !== 0; j++) {
      word &= others[j]![i]!;
    }
    if (word !== 0 && visitor.takeWord(i, word)) {
      return;
    }
  }
}

/** The number of tracks that are read at once without regard to the page. */
const FEW_TRACKS = 1_024;

/** How many times as many ordinals are searched next if a page is not full. */
const WIDER = 8;

/** What the ranks of a text of one word are made from. */
export interface WordSearch {
  word: string;
  field: TextField;
  /** Where the word is found by other forms; undefined if it is nowhere. */
  forms: FormMatches | undefined;
  /** They restrict only labels. */
  restrictions: Restrictions;
  /** The share of the tracks that meet the restrictions. */
  share: number;
  size: number;
  live: Uint32Array;
  /** Returns empty sets that stay valid for the current query. */
  takeSet(): TrackSet;
  /** Writes all matches into a set that stays valid for the current query. */
  write(): TrackSet;
}

/**
 * The tracks that match a text of one word, if their number is known without reading them. A page of the best
 * ones is read without reading the others.
 */
export class WordMatches implements Matches {
  readonly #search: WordSearch;
  #count: number | undefined;
  /** Writes the matches when they are needed: all of them, or after `ranks` those of the last rank. */
  #write: () => Matches;
  #written: Matches | undefined;

  constructor(count: number, search: WordSearch) {
    this.#count = count;
    this.#search = search;
    this.#write = search.write;
  }

  get count(): number {
    return this.#count ?? this.#matches.count;
  }

  has(ordinal: number): boolean {
    return this.#matches.has(ordinal);
  }

  countBetween(from: number, to: number): number {
    return this.#matches.countBetween(from, to);
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    this.#matches.visit(from, to, skip, visit);
  }

  copyTo(set: TrackSet): void {
    this.#matches.copyTo(set);
  }

  get #matches(): Matches {
    this.#written ??= this.#write();
    return this.#written;
  }

  /**
   * Yields the ranks as `TextRanks.of` does, but only the first `most` tracks of all ranks together. What
   * remains here afterwards is the last rank.
   */
  *ranks(most: number): Generator<Matches> {
    const { word, field, live } = this.#search;
    const set = this.#search.takeSet();
    const earlier: number[] = [];
    const none = new SortedMatches(NO_TRACKS, live, 0);
    const next = (source: () => Source): Matches => {
      const ordinals =
        earlier.length < most ? this.#first(source(), most - earlier.length, earlier, set) : [];
      if (ordinals.length === 0) return none;
      earlier.push(...ordinals);
      return new SortedMatches(Uint32Array.from(ordinals), live, ordinals.length);
    };
    this.#count = undefined;
    this.#written = undefined;
    const { forms } = this.#search;
    const nextPlaces = (standing: Standing) =>
      forms === undefined
        ? none
        : next(() =>
            allOf((visit) => {
              for (const place of forms.standing(standing).flat(2)) {
                if (place.kind === 'lists') place.each(visit);
              }
            }),
          );
    const nextBeginnings = (how: keyof Beginnings) =>
      forms === undefined
        ? none
        : next(() =>
            allOf((visit) => {
              for (const one of forms.beginnings(how === 'insideWord')) one[how](visit);
            }),
          );
    this.#write = () => nextPlaces('containing');
    const starting = field.startingWith([word]);
    yield next(() => allOf(starting.equal));
    yield nextBeginnings('equal');
    yield next(() => allOf(starting.atWordEnd));
    yield nextBeginnings('atWordEnd');
    yield next(() => field.whole(word));
    yield nextPlaces('whole');
    yield next(() => allOf(starting.insideWord));
    yield nextBeginnings('insideWord');
    yield next(() => field.beginning(word));
    yield nextPlaces('beginning');
    yield next(() => field.containing(word));
  }

  /**
   * The first `most` tracks of a source in catalog order, without the earlier ones. Searches the tracks up to
   * an end that moves on until there are enough.
   */
  #first(source: Source, most: number, earlier: readonly number[], set: TrackSet): number[] {
    const { share, size } = this.#search;
    const tracks = source.kind === 'bits' ? size : source.postings;
    if (tracks === 0) return [];
    const wanted = 2 * (most + earlier.length) + 32;
    let end = tracks <= FEW_TRACKS ? size : Math.ceil((size * wanted) / (tracks * share));
    for (;;) {
      if (end > size / 2) end = size;
      set.clear();
      this.#add(source, end, set);
      for (const ordinal of earlier) if (set.has(ordinal)) set.remove(ordinal);
      if (set.count >= most || end === size) break;
      end *= WIDER;
    }
    const first: number[] = [];
    set.visit(0, size, 0, (ordinal) => first.push(ordinal) === most);
    return first;
  }

  /** Adds the tracks of a source with ordinals below `end`. */
  #add(source: Source, end: number, set: TrackSet): void {
    const { restrictions, size } = this.#search;
    if (source.kind === 'bits') {
      set.become([source.bits, ...restrictions.bitsets], 0, end);
    } else if (source.kind === 'lists') {
      source.each((tracks) => {
        const to =
          end === size ? tracks.length : partitionPoint(0, tracks.length, (i) => tracks[i]! < end);
        restrictions.addAdmitted(tracks.subarray(0, to), set);
      });
    } else if (end === size) {
      source.each((tracks) => restrictions.addAdmitted(tracks, set));
    } else {
      source.each((tracks) => {
        for (let i = 0; i < tracks.length; i++) {
          if (tracks[i]! < end && restrictions.admits(tracks[i]!)) set.add(tracks[i]!);
        }
      });
    }
  }
}

const NO_TRACKS = new Uint32Array();

/** Where the tracks of a rank are found. Lists in the order of names are not ascending. */
type Source =
  | Occurrences
  | (Omit<Extract<Occurrences, { kind: 'lists' }>, 'kind'> & { kind: 'unordered' });

/** The tracks of some lists. */
function allOf(each: (visit: (tracks: Uint32Array) => void) => void): Source {
  let postings = 0;
  each((tracks) => {
    postings += tracks.length;
  });
  return { kind: 'unordered', postings, each };
}
