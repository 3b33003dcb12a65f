import type { TextPostings } from './dictionary.ts';
import { partitionPoint } from './partition-point.ts';
import type { Segment } from './segment.ts';
import type { TextQuery } from './text-query.ts';
import type { TrackSet } from './track-set.ts';

type WordQuery = Extract<TextQuery, { kind: 'words' }>;

/** Looking at the words of a track costs about so many postings gone through. */
export const POSTINGS_A_LOOK = 8;

/** Tells apart how well the tracks found by a text match it (decisions §4, the ranks). */
export class NameRanks {
  readonly #segment: Segment;
  readonly #takeSet: () => TrackSet;

  /** @param takeSet gives empty sets, good for the query at hand. */
  constructor(segment: Segment, takeSet: () => TrackSet) {
    this.#segment = segment;
    this.#takeSet = takeSet;
  }

  /** Moves the tracks whose name equals the text, and those whose name starts with it, out of `found`. */
  takeByName(text: TextQuery, found: TrackSet): [equal: TrackSet, starting: TrackSet] {
    const equal = this.#takeSet();
    const starting = this.#takeSet();
    if (text.kind === 'literal') {
      this.#takeLiteral(text.text, found, equal, starting);
    } else {
      this.#takeInNameOrder(text, found, equal, starting);
    }
    return [equal, starting];
  }

  /**
   * Moves the tracks in which every word of the text stands whole, and those in which every one is
   * whole or begins a word, out of `found`. A literal text knows neither.
   */
  takeByWords(text: TextQuery, found: TrackSet): [whole: TrackSet, beginning: TrackSet] {
    const whole = this.#takeSet();
    const beginning = this.#takeSet();
    if (text.kind === 'words' && found.count > 0) {
      const { words } = this.#segment;
      const begins = text.words.map((word) => words.beginning(word));
      const cost = begins.reduce((sum, one) => sum + (one.kind === 'words' ? one.postings : 0), 0);
      if (found.count * POSTINGS_A_LOOK * text.words.length < cost) {
        this.#takeByLooking(text, found, whole, beginning);
      } else {
        this.#takeByPostings(text, begins, found, whole, beginning);
      }
    }
    return [whole, beginning];
  }

  /** Names that start with the text lie side by side in the order of names, those equal to it first. */
  #takeInNameOrder(
    { sequence }: WordQuery,
    found: TrackSet,
    equal: TrackSet,
    starting: TrackSet,
  ): void {
    const { words, tracks, orders, size } = this.#segment;
    const { tokens, tokenStarts } = tracks;
    const last = sequence.length - 1;
    const [low, high] = words.words.rangeOf(sequence[last]!);
    const wanted: number[] = [];
    for (const word of sequence.slice(0, last)) {
      const at = words.words.positionOf(word);
      if (at === undefined) return;
      wanted.push(at);
    }
    /** Whether a name comes before those whose words are the wanted ones and then one from `bound` on. */
    const isBefore = (place: number, bound: number): boolean => {
      const ordinal = orders.byName[place]!;
      const start = tokenStarts[ordinal]!;
      const length = tokenStarts[ordinal + 1]! - start;
      if (length === 0) {
        return false;
      }
      for (let i = 0; i < last; i++) {
        if (i >= length || tokens[start + i]! < wanted[i]!) return true;
        if (tokens[start + i]! > wanted[i]!) return false;
      }
      return length <= last || tokens[start + last]! < bound;
    };
    const from = partitionPoint(0, size, (place) => isBefore(place, low));
    const to = partitionPoint(from, size, (place) => isBefore(place, high));
    const isWhole =
      low < words.words.length && words.words.lengthOf(low) === sequence[last]!.length;
    const isEqual = (place: number) => {
      const ordinal = orders.byName[place]!;
      const start = tokenStarts[ordinal]!;
      return tokenStarts[ordinal + 1]! - start === last + 1 && tokens[start + last] === low;
    };
    const endOfEqual = isWhole ? partitionPoint(from, to, isEqual) : from;
    found.moveAll(orders.byName.subarray(from, endOfEqual), equal);
    found.moveAll(orders.byName.subarray(endOfEqual, to), starting);
  }

  #takeLiteral(text: string, found: TrackSet, equal: TrackSet, starting: TrackSet): void {
    const { names, nameStarts } = this.#segment.tracks;
    const bytes = Buffer.from(text);
    found.each((ordinal) => {
      const start = nameStarts[ordinal]!;
      const length = nameStarts[ordinal + 1]! - start;
      if (length < bytes.length) return;
      for (let i = 0; i < bytes.length; i++) {
        if (names[start + i] !== bytes[i]) return;
      }
      move(ordinal, found, length === bytes.length ? equal : starting);
    });
  }

  /** For few tracks: looks at the words of each. */
  #takeByLooking(text: WordQuery, found: TrackSet, whole: TrackSet, beginning: TrackSet): void {
    const { words, tracks } = this.#segment;
    const { tokens, tokenStarts } = tracks;
    const ranges = text.words.map((word) => {
      const [low, high] = words.words.rangeOf(word);
      const isWord = low < high && words.words.lengthOf(low) === word.length;
      return { low, high, whole: isWord ? low : -1 };
    });
    found.each((ordinal) => {
      const start = tokenStarts[ordinal]!;
      const end = tokenStarts[ordinal + 1]!;
      let allWhole = true;
      for (let w = 0; w < ranges.length; w++) {
        const range = ranges[w]!;
        let begins = false;
        let isWhole = false;
        for (let i = start; i < end && !isWhole; i++) {
          const token = tokens[i]!;
          isWhole = token === range.whole;
          begins ||= token >= range.low && token < range.high;
        }
        if (!begins) return;
        allWhole &&= isWhole;
      }
      move(ordinal, found, allWhole ? whole : beginning);
    });
  }

  /** For many tracks: goes through the postings of the words. */
  #takeByPostings(
    text: WordQuery,
    begins: readonly TextPostings[],
    found: TrackSet,
    whole: TrackSet,
    beginning: TrackSet,
  ): void {
    const { words } = this.#segment;
    this.#moveAll(begins, found, beginning);
    this.#moveAll(
      text.words.map((word) => words.whole(word)),
      beginning,
      whole,
    );
  }

  /** Moves those that have every one of the postings. */
  #moveAll([first, ...others]: readonly TextPostings[], from: TrackSet, to: TrackSet): void {
    if (others.length === 0) {
      this.#moveEach(first!, from, to);
      return;
    }
    let [current, next] = [this.#takeSet(), this.#takeSet()];
    this.#moveEach(first!, from, current);
    for (const one of others) {
      this.#moveEach(one, current, next);
      from.absorb(current);
      [current, next] = [next, current];
    }
    to.absorb(current);
  }

  #moveEach(postings: TextPostings, from: TrackSet, to: TrackSet): void {
    if (postings.kind === 'bits') {
      from.moveCommon(postings.bits, to);
      return;
    }
    for (let i = 0; i < postings.words.length; i++) {
      from.moveAll(this.#segment.words.postings(postings.words[i]!), to);
    }
  }
}

/** Moves a track from one set to another, where it is in the one. */
function move(ordinal: number, from: TrackSet, to: TrackSet): void {
  if (from.has(ordinal)) {
    from.remove(ordinal);
    to.add(ordinal);
  }
}
