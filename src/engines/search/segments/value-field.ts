import { BoundedMap } from '../../../common/memory/caches.ts';
import type { FieldValue, ValueInText } from '../catalog-index.ts';
import { Marks, partitionPoint } from '../sets/bits.ts';
import type { Dictionary } from '../text/dictionary.ts';
import { Names, type NumberedName } from '../text/names.ts';
import {
  type LiteralMatch,
  literalMatchIn,
  type Occurrences,
  TextField,
  type WordPostings,
} from '../text/text-field.ts';
import type { ValueColumns } from './columns.ts';

/** The number of values whose texts are kept for tracks that are read one after another. */
const MAX_TEXTS = 10_000;

/** The most values of one form that are found in a text. */
const MAX_SPELLINGS = 8;

/**
 * A field that a track may have several values of, such as artists. A text is searched in the distinct
 * values, which are far fewer than the tracks, and then the tracks of the found values are taken.
 */
export class ValueField extends TextField {
  readonly #columns: ValueColumns;
  readonly #valueMarks: Marks;
  readonly #names: Names;
  readonly #texts = new BoundedMap<number, string>(MAX_TEXTS);

  /** @param words the dictionary of the values: its postings are values, its bitsets hold tracks */
  constructor(columns: ValueColumns, words: Dictionary) {
    const names = new Names(words.words, columns, columns);
    super(words, names);
    this.#names = names;
    this.#columns = columns;
    this.#valueMarks = new Marks(columns.textStarts.length - 1);
  }

  /** The values of a track in NFC, without repetitions. */
  of(ordinal: number): string[] {
    return this.namesOf(ordinal).map((value) => value.text());
  }

  namesOf(ordinal: number): NumberedName[] {
    const { values, valueStarts } = this.#columns;
    return Array.from(
      values.subarray(valueStarts[ordinal], valueStarts[ordinal + 1]),
      (number): NumberedName => ({ names: this.#names, number, text: () => this.text(number) }),
    );
  }

  /** As `CatalogIndex.valuesInText`; equal values of different spelling are separate. */
  inText(text: readonly (readonly string[])[]): ValueInText[] {
    return this.#names.inText(text).flatMap(({ from, length, names }) =>
      // A form has as many values as it has spellings; the first ones are enough.
      Array.from(names.subarray(0, MAX_SPELLINGS), (value) => ({
        from,
        length,
        ...this.#counted(value),
      })),
    );
  }

  /** The values with a letter or digit that most tracks have, in any order. */
  commonest(limit: number): FieldValue[] {
    const { ownerStarts, tokenStarts } = this.#columns;
    const counts = Uint32Array.from({ length: ownerStarts.length - 1 }, (_, value) =>
      tokenStarts[value + 1] === tokenStarts[value]
        ? 0
        : ownerStarts[value + 1]! - ownerStarts[value]!,
    );
    const least = Math.max(1, counts.toSorted().at(-limit) ?? 0);
    const more: number[] = [];
    const equal: number[] = [];
    for (const [value, count] of counts.entries()) {
      if (count > least) more.push(value);
      else if (count === least && equal.length < limit) equal.push(value);
    }
    return [...more, ...equal].slice(0, limit).map((value) => this.#counted(value));
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

  protected addWords(ordinal: number, words: Set<number>): void {
    const { values, valueStarts, tokens, tokenStarts } = this.#columns;
    for (let i = valueStarts[ordinal]!; i < valueStarts[ordinal + 1]!; i++) {
      const value = values[i]!;
      for (let j = tokenStarts[value]!; j < tokenStarts[value + 1]!; j++) words.add(tokens[j]!);
    }
  }

  protected eachOfNames(
    values: Uint32Array | readonly number[],
    visit: (tracks: Uint32Array) => void,
  ): void {
    const { owners, ownerStarts } = this.#columns;
    for (const value of values) {
      visit(owners.subarray(ownerStarts[value], ownerStarts[value + 1]));
    }
  }

  protected postingsOf({ words }: WordPostings): number {
    const { wordOwners } = this.#columns;
    let postings = 0;
    for (let i = 0; i < words.length; i++) postings += wordOwners[words[i]!]!;
    return postings;
  }

  protected tester(marks: Marks): (ordinal: number) => boolean {
    const { values, valueStarts, tokens, tokenStarts } = this.#columns;
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
      each: (visit) => this.eachOfNames(found, visit),
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

  #counted(value: number): FieldValue {
    const { ownerStarts } = this.#columns;
    return { text: this.text(value), tracks: ownerStarts[value + 1]! - ownerStarts[value]! };
  }

  /** A value, by its number in the segment. */
  text(value: number): string {
    let text = this.#texts.get(value);
    if (text === undefined) {
      const { texts, textStarts } = this.#columns;
      // Decoders refuse shared memory, so the bytes are copied first.
      text = Buffer.from(texts.subarray(textStarts[value], textStarts[value + 1])).toString();
      this.#texts.set(value, text);
    }
    return text;
  }
}
