import type { ValueColumns } from './columns.ts';
import type { Dictionary, TextPostings } from './dictionary.ts';
import { Names } from './names.ts';
import { partitionPoint } from './partition-point.ts';
import {
  type Beginnings,
  type LiteralMatch,
  literalMatchIn,
  Marks,
  type Occurrences,
  type TextField,
} from './text-field.ts';
import type { TrackSet } from './track-set.ts';

/**
 * A field that a track may have several values of, such as artists. A text is searched in the distinct
 * values, which are far fewer than the tracks, and then the tracks of the found values are taken.
 */
export class ValueField implements TextField {
  readonly #columns: ValueColumns;
  readonly #words: Dictionary;
  readonly #names: Names;
  readonly #wordMarks: Marks;
  readonly #valueMarks: Marks;
  readonly #texts: (string | undefined)[] = [];

  /** @param words the dictionary of the values: its postings are values, its bitsets hold tracks */
  constructor(columns: ValueColumns, words: Dictionary) {
    this.#columns = columns;
    this.#words = words;
    this.#names = new Names(words.words, columns, columns);
    this.#wordMarks = new Marks(words.words.length);
    this.#valueMarks = new Marks(columns.textStarts.length - 1);
  }

  /** The values of a track in NFC, without repetitions. */
  of(ordinal: number): string[] {
    const { values, valueStarts } = this.#columns;
    return Array.from(
      values.subarray(valueStarts[ordinal], valueStarts[ordinal + 1]),
      (value) => (this.#texts[value] ??= this.#text(value)),
    );
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
    const { values, valueStarts, tokens, tokenStarts } = this.#columns;
    const words = new Set<number>();
    tracks.each((ordinal) => {
      for (let i = valueStarts[ordinal]!; i < valueStarts[ordinal + 1]!; i++) {
        const value = values[i]!;
        for (let j = tokenStarts[value]!; j < tokenStarts[value + 1]!; j++) words.add(tokens[j]!);
      }
    });
    return this.#place(this.#words.containingOrNearAmong(word, typos, [...words]));
  }

  startingWith(sequence: readonly string[]): Beginnings {
    const found = this.#names.beginningWith(sequence);
    const lists = (how: keyof Beginnings) => (visit: (tracks: Uint32Array) => void) => {
      for (const values of found) {
        for (const value of values[how]) visit(this.#owners(value));
      }
    };
    return {
      equal: lists('equal'),
      atWordEnd: lists('atWordEnd'),
      insideWord: lists('insideWord'),
    };
  }

  containingLiterally(text: string): Occurrences {
    const { texts, textStarts } = this.#columns;
    const values: number[] = [];
    // Half of a surrogate pair is not a character, so it matches nothing.
    if (text.isWellFormed()) {
      const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength);
      const bytes = Buffer.from(text);
      let at = all.indexOf(bytes);
      while (at >= 0) {
        const value = partitionPoint(0, textStarts.length, (i) => textStarts[i]! <= at) - 1;
        const end = textStarts[value + 1]!;
        const isInside = at + bytes.length <= end;
        if (isInside) values.push(value);
        at = all.indexOf(bytes, isInside ? end : at + 1);
      }
    }
    return this.#ofValues(values);
  }

  literalMatch(text: string): (ordinal: number) => LiteralMatch {
    const { texts, textStarts, values, valueStarts } = this.#columns;
    const bytes = Buffer.from(text);
    return (ordinal) => {
      let best: LiteralMatch;
      for (let i = valueStarts[ordinal]!; i < valueStarts[ordinal + 1]!; i++) {
        const value = values[i]!;
        const standing = literalMatchIn(bytes, texts, textStarts[value]!, textStarts[value + 1]!);
        if (standing === 'equal') return standing;
        best ??= standing;
      }
      return best;
    };
  }

  #place(found: TextPostings): Occurrences {
    if (found.kind === 'bits') return found;
    const { words } = found;
    const { wordOwners } = this.#columns;
    let postings = 0;
    for (let i = 0; i < words.length; i++) postings += wordOwners[words[i]!]!;
    return {
      kind: 'lists',
      postings,
      each: (visit) => {
        for (let i = 0; i < words.length; i++) {
          for (const value of this.#words.postings(words[i]!)) visit(this.#owners(value));
        }
      },
      tester: () => this.#wordTester(words),
    };
  }

  #wordTester(words: ArrayLike<number>): (ordinal: number) => boolean {
    const { values, valueStarts, tokens, tokenStarts } = this.#columns;
    const marks = this.#wordMarks;
    marks.mark(words);
    return (ordinal) => {
      const end = valueStarts[ordinal + 1]!;
      for (let i = valueStarts[ordinal]!; i < end; i++) {
        const value = values[i]!;
        const endOfValue = tokenStarts[value + 1]!;
        for (let j = tokenStarts[value]!; j < endOfValue; j++) {
          if (marks.has(tokens[j]!)) return true;
        }
      }
      return false;
    };
  }

  /** @param found values without repetitions */
  #ofValues(found: readonly number[]): Occurrences {
    const { ownerStarts } = this.#columns;
    let postings = 0;
    for (const value of found) postings += ownerStarts[value + 1]! - ownerStarts[value]!;
    return {
      kind: 'lists',
      postings,
      each: (visit) => {
        for (const value of found) visit(this.#owners(value));
      },
      tester: () => this.#valueTester(found),
    };
  }

  #valueTester(found: readonly number[]): (ordinal: number) => boolean {
    const { values, valueStarts } = this.#columns;
    const marks = this.#valueMarks;
    marks.mark(found);
    return (ordinal) => {
      const end = valueStarts[ordinal + 1]!;
      for (let i = valueStarts[ordinal]!; i < end; i++) {
        if (marks.has(values[i]!)) return true;
      }
      return false;
    };
  }

  #owners(value: number): Uint32Array {
    const { owners, ownerStarts } = this.#columns;
    return owners.subarray(ownerStarts[value], ownerStarts[value + 1]);
  }

  #text(value: number): string {
    const { texts, textStarts } = this.#columns;
    // Decoders refuse shared memory, so the bytes are copied first.
    return Buffer.from(texts.subarray(textStarts[value], textStarts[value + 1])).toString();
  }
}
