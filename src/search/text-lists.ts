import { GrowingUint32 } from './columns.ts';
import type { TextNumbers } from './text-numbers.ts';

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

  /** Adds a number unless the list has it. Such lists must be short. */
  addOnce(number: number): void {
    for (let i = this.#ends.last; i < this.#numbers.length; i++) {
      if (this.#numbers.at(i) === number) return;
    }
    this.#numbers.push(number);
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
  collected(numbers: TextNumbers): TextLists {
    return { texts: numbers.texts(), numbers: this.#numbers.view, ends: this.#ends.view };
  }
}
