import { KEY_KINDS, KEYS, type KeyKind } from '../../../common/text/forms/sounds.ts';
import type { FormColumns, TrackColumns } from '../segments/columns.ts';
import { Marks } from '../sets/bits.ts';
import type { TrackSet } from '../sets/track-set.ts';
import { Dictionary, type TextPostings } from './dictionary.ts';
import { Names } from './names.ts';

/** The tracks of a field that have a word or a piece of one: a bitset if they are many, otherwise lists. */
export type Occurrences =
  | { kind: 'bits'; bits: Uint32Array }
  | {
      kind: 'lists';
      /** The sum of the lengths of the lists. A track counts once for each list that has it. */
      postings: number;
      /** Calls back with each list, in no particular order. Each list is ascending. */
      each(visit: (tracks: Uint32Array) => void): void;
      /**
       * Returns a test of whether a track is in one of the lists, which reads the words of the track. The
       * test is valid until the next call of `tester` on the same field. Absent if the tracks have no words
       * to read.
       */
      tester?(): (ordinal: number) => boolean;
    };

/** The tracks whose field begins with a sequence of words, as lists; see `NamesBeginning`. */
export type Beginnings = Record<
  'equal' | 'atWordEnd' | 'insideWord',
  (visit: (tracks: Uint32Array) => void) => void
>;

/** How well a field matches a text without letters or digits. Undefined: the field only contains the text. */
export type LiteralMatch = 'equal' | 'starting' | undefined;

/** How well one of several texts, which lie end to end, matches another text; all are in UTF-8. */
export function literalMatchIn(
  text: Uint8Array,
  texts: Uint8Array,
  start: number,
  end: number,
): LiteralMatch {
  if (end - start < text.length) return undefined;
  for (let i = 0; i < text.length; i++) {
    if (texts[start + i] !== text[i]) return undefined;
  }
  return end - start === text.length ? 'equal' : 'starting';
}

/** A field whose words are searched. */
export abstract class WordField {
  /** The kinds of keys of romanizations that are among the words. */
  readonly keyKinds: readonly KeyKind[];
  protected readonly words: Dictionary;
  readonly #names: Names;
  readonly #marks: Marks;

  constructor(words: Dictionary, names: Names) {
    this.words = words;
    this.#names = names;
    this.#marks = new Marks(words.words.length);
    this.keyKinds = KEY_KINDS.filter((kind) => {
      const [from, to] = KEYS[kind];
      return words.words.firstNotBelow(from) < words.words.firstNotBelow(to);
    });
  }

  containing(piece: string): Occurrences {
    return this.occurrences(this.words.containing(piece));
  }

  beginning(piece: string): Occurrences {
    return this.occurrences(this.words.beginning(piece));
  }

  whole(word: string): Occurrences {
    return this.occurrences(this.words.whole(word));
  }

  /** Whether a track has the word, or a word that contains it. */
  has(word: string, isWhole: boolean): boolean {
    return this.words.has(word, isWhole);
  }

  /** The tracks whose field begins with the words, the last of which may be unfinished. */
  startingWith(sequence: readonly string[]): Beginnings {
    const found = this.#names.beginningWith(sequence);
    const lists = (how: keyof Beginnings) => (visit: (tracks: Uint32Array) => void) => {
      for (const names of found) this.eachOfNames(names[how], visit);
    };
    return {
      equal: lists('equal'),
      atWordEnd: lists('atWordEnd'),
      insideWord: lists('insideWord'),
    };
  }

  protected occurrences(found: TextPostings): Occurrences {
    if (found.kind === 'bits') return found;
    const { words } = found;
    return {
      kind: 'lists',
      postings: this.postingsOf(found),
      each: (visit) => {
        for (let i = 0; i < words.length; i++) {
          this.eachOfPostings(this.words.postings(words[i]!), visit);
        }
      },
      ...(this.tester && {
        tester: () => {
          this.#marks.mark(words);
          return this.tester!(this.#marks);
        },
      }),
    };
  }

  /** Calls back with the tracks of a list of names, as one or more lists. */
  protected abstract eachOfNames(names: Uint32Array, visit: (tracks: Uint32Array) => void): void;

  /** Calls back with the tracks of a list of the dictionary, as one or more lists; by default, it is a list of names. */
  protected eachOfPostings(list: Uint32Array, visit: (tracks: Uint32Array) => void): void {
    this.eachOfNames(list, visit);
  }

  /** The sum of the lengths of the lists of tracks of the words. */
  protected abstract postingsOf(found: WordPostings): number;

  /** Returns a test of whether a track has a marked word. */
  protected tester?(marks: Marks): (ordinal: number) => boolean;
}

/** A field that a text is searched in: the names of the tracks, their artists or their tags. */
export abstract class TextField extends WordField {
  containingOrNear(word: string, typos: number): Occurrences {
    return this.occurrences(this.words.containingOrNear(word, typos));
  }

  /**
   * The same as `containingOrNear` for the given tracks only; other tracks may be missing. It is faster if
   * they are few.
   */
  containingOrNearAmong(word: string, typos: number, tracks: TrackSet): Occurrences {
    const words = new Set<number>();
    tracks.each((ordinal) => this.addWords(ordinal, words));
    return this.occurrences(this.words.containingOrNearAmong(word, typos, [...words]));
  }

  /** The tracks whose field contains the text, which has no letter or digit, character by character. */
  abstract containingLiterally(text: string): Occurrences;

  /** Returns a function that says how well the field of a track matches such a text. */
  abstract literalMatch(text: string): (ordinal: number) => LiteralMatch;

  protected abstract addWords(ordinal: number, words: Set<number>): void;

  protected abstract override tester(marks: Marks): (ordinal: number) => boolean;
}

export type WordPostings = Extract<TextPostings, { kind: 'words' }>;

/** The other forms of a field. */
export class FormField extends WordField {
  readonly #columns: FormColumns;

  constructor(columns: FormColumns, bitsLength: number) {
    const words = new Dictionary(columns, NOT_DENSE, bitsLength, false);
    super(words, new Names(words.words, columns, columns));
    this.#columns = columns;
  }

  protected eachOfNames(forms: Uint32Array, visit: (tracks: Uint32Array) => void): void {
    const { owners, ownerStarts } = this.#columns;
    for (const form of forms) visit(owners.subarray(ownerStarts[form], ownerStarts[form + 1]));
  }

  protected override eachOfPostings(
    tracks: Uint32Array,
    visit: (tracks: Uint32Array) => void,
  ): void {
    visit(tracks);
  }

  protected postingsOf({ postings }: WordPostings): number {
    return postings;
  }
}

const NOT_DENSE = { densePieces: [], denseBeginnings: [] };

export class NameField extends TextField {
  readonly #tracks: TrackColumns;
  readonly #symbols: Dictionary;

  /** @param symbols the dictionary of the runs of symbols between the words of names */
  constructor(tracks: TrackColumns, words: Dictionary, symbols: Dictionary, names: Names) {
    super(words, names);
    this.#tracks = tracks;
    this.#symbols = symbols;
  }

  containingLiterally(text: string): Occurrences {
    const found = this.#symbols.containing(text);
    if (found.kind === 'bits') return found;
    const { words, postings } = found;
    return {
      kind: 'lists',
      postings,
      each: (visit) => {
        for (let i = 0; i < words.length; i++) visit(this.#symbols.postings(words[i]!));
      },
    };
  }

  literalMatch(text: string): (ordinal: number) => LiteralMatch {
    const { names, nameStarts } = this.#tracks;
    const bytes = Buffer.from(text);
    return (ordinal) =>
      literalMatchIn(bytes, names, nameStarts[ordinal]!, nameStarts[ordinal + 1]!);
  }

  protected addWords(ordinal: number, words: Set<number>): void {
    const { tokens, tokenStarts } = this.#tracks;
    for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) words.add(tokens[i]!);
  }

  protected eachOfNames(tracks: Uint32Array, visit: (tracks: Uint32Array) => void): void {
    visit(tracks);
  }

  protected postingsOf({ postings }: WordPostings): number {
    return postings;
  }

  protected tester(marks: Marks): (ordinal: number) => boolean {
    const { tokens, tokenStarts } = this.#tracks;
    return (ordinal) => {
      const end = tokenStarts[ordinal + 1]!;
      for (let i = tokenStarts[ordinal]!; i < end; i++) {
        if (marks.has(tokens[i]!)) return true;
      }
      return false;
    };
  }
}
