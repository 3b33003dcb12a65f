import type { TrackColumns } from './columns.ts';
import type { Dictionary, TextPostings } from './dictionary.ts';
import type { Names } from './names.ts';
import {
  type Beginnings,
  type LiteralMatch,
  literalMatchIn,
  Marks,
  type Occurrences,
  type TextField,
} from './text-field.ts';
import type { TrackSet } from './track-set.ts';

/** The field of the tracks' names. */
export class NameField implements TextField {
  readonly #tracks: TrackColumns;
  readonly #words: Dictionary;
  readonly #symbols: Dictionary;
  readonly #names: Names;
  readonly #marks: Marks;

  /** @param symbols the dictionary of the runs of symbols between the words of names */
  constructor(tracks: TrackColumns, words: Dictionary, symbols: Dictionary, names: Names) {
    this.#tracks = tracks;
    this.#words = words;
    this.#symbols = symbols;
    this.#names = names;
    this.#marks = new Marks(words.words.length);
  }

  containing(piece: string): Occurrences {
    return this.#place(this.#words.containing(piece));
  }

  beginning(piece: string): Occurrences {
    return this.#place(this.#words.beginning(piece));
  }

  whole(word: string): Occurrences {
    return this.#place(this.#words.whole(word));
  }

  containingOrNear(word: string, typos: number): Occurrences {
    return this.#place(this.#words.containingOrNear(word, typos));
  }

  containingOrNearAmong(word: string, typos: number, tracks: TrackSet): Occurrences {
    const { tokens, tokenStarts } = this.#tracks;
    const words = new Set<number>();
    tracks.each((ordinal) => {
      for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) {
        words.add(tokens[i]!);
      }
    });
    return this.#place(this.#words.containingOrNearAmong(word, typos, [...words]));
  }

  startingWith(sequence: readonly string[]): Beginnings {
    const found = this.#names.beginningWith(sequence);
    const lists = (how: keyof Beginnings) => (visit: (tracks: Uint32Array) => void) => {
      for (const names of found) visit(names[how]);
    };
    return {
      equal: lists('equal'),
      atWordEnd: lists('atWordEnd'),
      insideWord: lists('insideWord'),
    };
  }

  containingLiterally(text: string): Occurrences {
    const postings = this.#symbols.containing(text);
    return postings.kind === 'bits' ? postings : listsOf(this.#symbols, postings);
  }

  literalMatch(text: string): (ordinal: number) => LiteralMatch {
    const { names, nameStarts } = this.#tracks;
    const bytes = Buffer.from(text);
    return (ordinal) =>
      literalMatchIn(bytes, names, nameStarts[ordinal]!, nameStarts[ordinal + 1]!);
  }

  #place(postings: TextPostings): Occurrences {
    if (postings.kind === 'bits') return postings;
    return { ...listsOf(this.#words, postings), tester: () => this.#tester(postings.words) };
  }

  #tester(words: ArrayLike<number>): (ordinal: number) => boolean {
    const { tokens, tokenStarts } = this.#tracks;
    const marks = this.#marks;
    marks.mark(words);
    return (ordinal) => {
      const end = tokenStarts[ordinal + 1]!;
      for (let i = tokenStarts[ordinal]!; i < end; i++) {
        if (marks.has(tokens[i]!)) return true;
      }
      return false;
    };
  }
}

type WordPostings = Extract<TextPostings, { kind: 'words' }>;

function listsOf(
  dictionary: Dictionary,
  { words, postings }: WordPostings,
): Extract<Occurrences, { kind: 'lists' }> {
  return {
    kind: 'lists',
    postings,
    each(visit) {
      for (let i = 0; i < words.length; i++) visit(dictionary.postings(words[i]!));
    },
  };
}
