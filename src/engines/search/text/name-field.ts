import type { TrackColumns } from '../segments/columns.ts';
import type { Dictionary } from './dictionary.ts';
import type { Names } from './names.ts';
import { type LiteralMatch, literalMatchIn, type Marks, type Occurrences } from './text-field.ts';
import { WordField, type WordPostings } from './word-field.ts';

/** The field of the tracks' names. */
export class NameField extends WordField {
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

  protected eachList(tracks: Uint32Array, visit: (tracks: Uint32Array) => void): void {
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
