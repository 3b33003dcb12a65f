import { otherForms } from '../../../common/text/forms/other-forms.ts';
import { runSteps } from '../build/steps.ts';
import { buildNamed } from '../build/value-builder.ts';
import type { FilterNames } from '../catalog-index.ts';
import { lowestBit, Marks, wordsFor } from '../sets/bits.ts';
import { filterLabel } from '../sets/labels.ts';
import { Dictionary } from '../text/dictionary.ts';
import { Names } from '../text/names.ts';
import {
  type LiteralMatch,
  type Occurrences,
  TextField,
  type WordPostings,
} from '../text/text-field.ts';
import type { Level, Segment } from './segment.ts';

/** A name of a filter that tracks of the segment carry. */
interface LabelName {
  label: number;
  text: string;
}

/** The names of filters as a field of the tracks that carry them. It is made for a query, in milliseconds for a thousand names. */
export function filterLevel(segment: Segment, { names }: FilterNames): Level {
  const written = names.flatMap(({ id, texts }) => {
    const label = segment.labelNumber(filterLabel(id));
    return label === undefined ? [] : texts.map((text) => ({ label, text: text.normalize('NFC') }));
  });
  const forms = written.flatMap(({ label, text }) =>
    otherForms(text).map((form) => ({ label, text: form })),
  );
  return {
    written: [new LabelField(segment, written, false)],
    forms: forms.length === 0 ? [] : [new LabelField(segment, forms, true)],
  };
}

class LabelField extends TextField {
  readonly #segment: Segment;
  readonly #names: readonly LabelName[];
  /** The names of each label, as numbers. */
  readonly #numbersOf: ReadonlyMap<number, readonly number[]>;
  readonly #columns: Names['columns'];
  readonly #labelMarks: Marks;

  constructor(segment: Segment, names: readonly LabelName[], areForms: boolean) {
    const built = runSteps(
      buildNamed(
        names.map(({ text }) => text),
        areForms,
      ),
    );
    const { columns, meta } = built.dictionary;
    const words = new Dictionary(columns, meta, 0, !areForms);
    super(words, new Names(words.words, built.names, built.orders));
    this.#segment = segment;
    this.#names = names;
    this.#columns = built.names;
    this.#labelMarks = new Marks(segment.labelNames.length);
    this.#numbersOf = Map.groupBy(
      names.map((_, number) => number),
      (number) => names[number]!.label,
    );
  }

  containingLiterally(text: string): Occurrences {
    const found = this.#names.flatMap((name, number) =>
      text.isWellFormed() && name.text.includes(text) ? [number] : [],
    );
    return {
      kind: 'lists',
      postings: this.#tracksOf(found),
      each: (visit) => this.eachOfNames(found, visit),
      tester: () => this.#testerOf(found),
    };
  }

  literalMatch(text: string): (ordinal: number) => LiteralMatch {
    return (ordinal) => {
      let best: LiteralMatch;
      for (const number of this.#namesOf(ordinal)) {
        const name = this.#names[number]!.text;
        if (name === text) return 'equal';
        if (name.startsWith(text)) best = 'starting';
      }
      return best;
    };
  }

  protected addWords(ordinal: number, words: Set<number>): void {
    const { tokens, tokenStarts } = this.#columns;
    for (const number of this.#namesOf(ordinal)) {
      for (let i = tokenStarts[number]!; i < tokenStarts[number + 1]!; i++) words.add(tokens[i]!);
    }
  }

  protected eachOfNames(
    names: Uint32Array | readonly number[],
    visit: (tracks: Uint32Array) => void,
  ): void {
    const { denseSlots, dense, sparse, sparseStarts, counts } = this.#segment.labels;
    const length = wordsFor(this.#segment.size);
    for (const number of names) {
      const { label } = this.#names[number]!;
      const slot = denseSlots[label]!;
      if (slot === 0) {
        visit(sparse.subarray(sparseStarts[label], sparseStarts[label + 1]));
        continue;
      }
      const tracks = new Uint32Array(counts[label]!);
      let at = 0;
      for (let i = 0; i < length; i++) {
        for (let word = dense[(slot - 1) * length + i]!; word !== 0; word &= word - 1) {
          tracks[at++] = (i << 5) + lowestBit(word);
        }
      }
      visit(tracks);
    }
  }

  protected postingsOf({ words }: WordPostings): number {
    return this.#tracksOf(this.#namesWith(words));
  }

  protected tester(marks: Marks): (ordinal: number) => boolean {
    const { tokens, tokenStarts } = this.#columns;
    const found = this.#names.flatMap((_, number) => {
      for (let i = tokenStarts[number]!; i < tokenStarts[number + 1]!; i++) {
        if (marks.has(tokens[i]!)) return [number];
      }
      return [];
    });
    return this.#testerOf(found);
  }

  #namesWith(words: ArrayLike<number>): number[] {
    const { tokens, tokenStarts } = this.#columns;
    const wanted = new Set(Array.from(words));
    return this.#names.flatMap((_, number) =>
      tokens
        .subarray(tokenStarts[number], tokenStarts[number + 1])
        .some((token) => wanted.has(token))
        ? [number]
        : [],
    );
  }

  #tracksOf(names: readonly number[]): number {
    return names.reduce(
      (sum, number) => sum + this.#segment.labels.counts[this.#names[number]!.label]!,
      0,
    );
  }

  #testerOf(names: readonly number[]): (ordinal: number) => boolean {
    const { labels, labelStarts } = this.#segment.tracks;
    this.#labelMarks.mark(names.map((number) => this.#names[number]!.label));
    return (ordinal) => {
      for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
        if (this.#labelMarks.has(labels[i]!)) return true;
      }
      return false;
    };
  }

  #namesOf(ordinal: number): number[] {
    const { labels, labelStarts } = this.#segment.tracks;
    const found: number[] = [];
    for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
      found.push(...(this.#numbersOf.get(labels[i]!) ?? []));
    }
    return found;
  }
}
