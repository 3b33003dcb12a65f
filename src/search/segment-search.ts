import type { IndexQuery } from '../catalog/catalog-index.ts';
import {
  addBit,
  type Bits,
  emptyBits,
  fullBits,
  hasBit,
  intersect,
  removeBit,
  subtract,
  visitBits,
} from './bits.ts';
import type { PostingList } from './posting-list.ts';
import type { Segment } from './segment.ts';
import { type TextQuery, typosForgiven } from './text-query.ts';

type WordQuery = Extract<TextQuery, { kind: 'words' }>;

/**
 * Answers queries from one segment, less the tracks that were taken out of it since it was built.
 * The sets it hands out are its own scratch, good until the next `begin`: a query allocates nothing
 * in proportion to the catalog.
 */
export class SegmentSearch {
  readonly segment: Segment;
  readonly #live: Bits;
  #liveCount: number;
  readonly #scratch: Bits[] = [];
  #scratchUsed = 0;

  constructor(segment: Segment) {
    this.segment = segment;
    this.#live = fullBits(segment.entries.length);
    this.#liveCount = segment.entries.length;
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  isLive(ordinal: number): boolean {
    return hasBit(this.#live, ordinal);
  }

  /** Takes a live track out, for all queries to come. */
  remove(ordinal: number): void {
    removeBit(this.#live, ordinal);
    this.#liveCount--;
  }

  /** Begins a query; sets handed out before are void. */
  begin(): void {
    this.#scratchUsed = 0;
  }

  /** All live tracks, in a set that the caller may change. */
  all(): Bits {
    return this.#copy(this.#live);
  }

  /** Leaves in the set what the query's filters let through; its text is not looked at. */
  restrict(bits: Bits, query: IndexQuery): void {
    const { types, vocals, filters, isrcs } = this.segment;
    if (query.type !== undefined) {
      intersectWith(bits, types.get(query.type));
    }
    if (query.hasVocals !== undefined) {
      intersectWith(bits, vocals.get(query.hasVocals));
    }
    if (query.isrc !== undefined) {
      intersectWith(bits, isrcs.get(query.isrc));
    }
    for (const filterId of query.filterIds ?? []) {
      intersectWith(bits, filters.get(filterId));
    }
  }

  /** The live tracks whose names match the text, no typo forgiven. */
  find(text: TextQuery): Bits {
    if (text.kind === 'literal') {
      return this.#within(this.#live, [text.text], (run, bits) =>
        this.segment.symbols.addContaining(run, bits),
      );
    }
    return this.#within(this.#live, text.words, (word, bits) =>
      this.segment.words.addContaining(word, bits),
    );
  }

  /** The same with typos forgiven in each word that is long enough. */
  findForgiving(text: WordQuery): Bits {
    return this.#within(this.#live, text.words, (word, bits) => {
      this.segment.words.addContaining(word, bits);
      const typos = typosForgiven(word);
      if (typos > 0) {
        this.segment.words.addNear(word, typos, bits);
      }
    });
  }

  /**
   * Parts tracks found by `find` by rank, best first (decisions §4): the name equals the text; it
   * starts with it; every word stands whole; whole or as a beginning; inside. A literal text knows
   * the first, second and last of these. `found` is used up.
   */
  rank(text: TextQuery, found: Bits): Bits[] {
    return text.kind === 'literal' ? this.#rankLiteral(text.text, found) : this.#rank(text, found);
  }

  #rank(text: WordQuery, found: Bits): Bits[] {
    const { names, words } = this.segment;
    const equal = this.#empty();
    const starting = this.#empty();
    const beginning = this.#within(found, text.words, (word, bits) =>
      words.addBeginning(word, bits),
    );
    const whole = this.#within(beginning, text.words, (word, bits) => words.addWhole(word, bits));
    subtract(found, beginning);
    this.#visit(beginning, (ordinal) => {
      if (names.startsWith(ordinal, text.folded)) {
        const length = names.lengthOf(ordinal);
        addBit(length === text.folded.length ? equal : starting, ordinal);
      }
    });
    subtract(whole, equal);
    subtract(whole, starting);
    subtract(beginning, equal);
    subtract(beginning, starting);
    subtract(beginning, whole);
    return [equal, starting, whole, beginning, found];
  }

  #rankLiteral(text: string, found: Bits): Bits[] {
    const equal = this.#empty();
    const starting = this.#empty();
    this.#visit(found, (ordinal) => {
      const name = this.segment.entries[ordinal]!.name.normalize('NFC');
      if (name.startsWith(text)) {
        addBit(name === text ? equal : starting, ordinal);
      }
    });
    subtract(found, equal);
    subtract(found, starting);
    return [equal, starting, found];
  }

  /** Those tracks of the set that are added for every one of the words. */
  #within(bits: Bits, words: readonly string[], add: (word: string, bits: Bits) => void): Bits {
    const every = this.#copy(bits);
    const one = this.#empty();
    for (const [i, word] of words.entries()) {
      if (i > 0) {
        one.fill(0);
      }
      add(word, one);
      intersect(every, one);
    }
    // The last set taken goes back: only `every` is handed on.
    this.#scratchUsed--;
    return every;
  }

  #visit(bits: Bits, visit: (ordinal: number) => void): void {
    visitBits(bits, 0, this.segment.entries.length, 0, (ordinal) => {
      visit(ordinal);
      return false;
    });
  }

  #empty(): Bits {
    return this.#take().fill(0);
  }

  #copy(bits: Bits): Bits {
    const copy = this.#take();
    copy.set(bits);
    return copy;
  }

  #take(): Bits {
    const at = this.#scratchUsed++;
    this.#scratch[at] ??= emptyBits(this.segment.entries.length);
    return this.#scratch[at];
  }
}

function intersectWith(bits: Bits, list: PostingList | undefined): void {
  if (list === undefined) {
    bits.fill(0);
  } else {
    list.intersectInto(bits);
  }
}
