import type { TrackSet } from '../sets/track-set.ts';
import type { Dictionary, TextPostings } from './dictionary.ts';
import type { Names } from './names.ts';
import {
  type Beginnings,
  type LiteralMatch,
  Marks,
  type Occurrences,
  type TextField,
} from './text-field.ts';

/** A text field with a dictionary of its words and an order of its names or values. */
export abstract class WordField implements TextField {
  readonly #words: Dictionary;
  readonly #names: Names;
  readonly #marks: Marks;

  constructor(words: Dictionary, names: Names) {
    this.#words = words;
    this.#names = names;
    this.#marks = new Marks(words.words.length);
  }

  containing(piece: string): Occurrences {
    return this.#occurrences(this.#words.containing(piece));
  }

  beginning(piece: string): Occurrences {
    return this.#occurrences(this.#words.beginning(piece));
  }

  whole(word: string): Occurrences {
    return this.#occurrences(this.#words.whole(word));
  }

  containingOrNear(word: string, typos: number): Occurrences {
    return this.#occurrences(this.#words.containingOrNear(word, typos));
  }

  containingOrNearAmong(word: string, typos: number, tracks: TrackSet): Occurrences {
    const words = new Set<number>();
    tracks.each((ordinal) => this.addWords(ordinal, words));
    return this.#occurrences(this.#words.containingOrNearAmong(word, typos, [...words]));
  }

  startingWith(sequence: readonly string[]): Beginnings {
    const found = this.#names.beginningWith(sequence);
    const lists = (how: keyof Beginnings) => (visit: (tracks: Uint32Array) => void) => {
      for (const names of found) this.eachList(names[how], visit);
    };
    return {
      equal: lists('equal'),
      atWordEnd: lists('atWordEnd'),
      insideWord: lists('insideWord'),
    };
  }

  abstract containingLiterally(text: string): Occurrences;

  abstract literalMatch(text: string): (ordinal: number) => LiteralMatch;

  /** Adds the words of a track. */
  protected abstract addWords(ordinal: number, words: Set<number>): void;

  /** Calls back with the tracks of a list of the dictionary or of the names, as one or more lists. */
  protected abstract eachList(list: Uint32Array, visit: (tracks: Uint32Array) => void): void;

  /** The sum of the lengths of the lists of tracks of the words. */
  protected abstract postingsOf(found: WordPostings): number;

  /** Returns a test of whether a track has a marked word. */
  protected abstract tester(marks: Marks): (ordinal: number) => boolean;

  #occurrences(found: TextPostings): Occurrences {
    if (found.kind === 'bits') return found;
    const { words } = found;
    return {
      kind: 'lists',
      postings: this.postingsOf(found),
      each: (visit) => {
        for (let i = 0; i < words.length; i++)
          this.eachList(this.#words.postings(words[i]!), visit);
      },
      tester: () => {
        this.#marks.mark(words);
        return this.tester(this.#marks);
      },
    };
  }
}

export type WordPostings = Extract<TextPostings, { kind: 'words' }>;
