import { GrowingUint32 } from '../build/growing.ts';

/** Lists of texts, one for each track, in which each distinct text is stored once. */
export interface TextLists {
  /** The distinct texts in the order of their first occurrence. */
  texts: readonly string[];
  /** The texts of all lists, end to end, as positions in `texts`. */
  numbers: Uint32Array;
  /** Where each list ends in `numbers`. */
  ends: Uint32Array;
}

/** Collects lists of numbers of texts, one after another. */
export class ListCollector {
  readonly #numbers = new GrowingUint32();
  readonly #ends = new GrowingUint32();

  add(number: number): void {
    this.#numbers.push(number);
  }

  addAll(numbers: readonly number[]): void {
    for (let i = 0; i < numbers.length; i++) this.#numbers.push(numbers[i]!);
  }

  /** The number of numbers in all lists. */
  get length(): number {
    return this.#numbers.length;
  }

  /** Ends a list and begins the next one. */
  end(): void {
    this.#ends.push(this.#numbers.length);
  }

  /** The lists. Good until the next call of another method. */
  collected(numbers: { texts(): readonly string[] }): TextLists {
    return { texts: numbers.texts(), numbers: this.#numbers.view, ends: this.#ends.view };
  }
}
