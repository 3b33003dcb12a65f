import { GrowingUint32 } from './columns.ts';
import { TextNumbers } from './text-numbers.ts';

/** Lists of texts, one for each track, in which each distinct text is stored once. */
export interface TextLists {
  /** The distinct texts in the order of their first occurrence. */
  texts: readonly string[];
  /** The texts of all lists, end to end, as positions in `texts`. */
  numbers: Uint32Array;
  /** Where each list ends in `numbers`. */
  ends: Uint32Array;
}

const NUMBERS_A_STEP = 200_000;

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

/** Puts the lists of all parts one after another, in steps of a few milliseconds. */
export function* joinedLists(parts: readonly TextLists[]): Generator<void, TextLists> {
  if (parts.length === 1) return parts[0]!;
  const texts = new TextNumbers();
  const numbers = new Uint32Array(parts.reduce((sum, part) => sum + part.numbers.length, 0));
  let at = 0;
  for (const part of parts) {
    const numberOf = Uint32Array.from(part.texts, (text) => texts.of(text));
    yield;
    for (let i = 0; i < part.numbers.length; i++) {
      numbers[at++] = numberOf[part.numbers[i]!]!;
      if (i % NUMBERS_A_STEP === NUMBERS_A_STEP - 1) yield;
    }
  }
  return { texts: texts.texts(), numbers, ends: joinedEnds(parts.map(({ ends }) => ends)) };
}

/** Puts arrays one after another. */
export function joined<T extends Uint8Array | Uint32Array | Float64Array>(parts: readonly T[]): T {
  if (parts.length === 1) return parts[0]!;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = new (parts[0]!.constructor as new (length: number) => T)(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Puts ends of items one after another: each is moved by the items of the parts before. */
export function joinedEnds(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    const before = at === 0 ? 0 : joined[at - 1]!;
    for (let i = 0; i < part.length; i++) joined[at++] = before + part[i]!;
  }
  return joined;
}
