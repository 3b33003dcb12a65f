/** Numbers texts in the order of their first occurrence. */
export class TextNumbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a text. An unknown text gets the next number. */
  of(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
    }
    return number;
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** All texts in the order of their numbers. */
  texts(): string[] {
    return [...this.#numbers.keys()];
  }
}

/** Numbers texts by their forms. The form of a text is made once. */
class FormNumbers {
  readonly #numbers: TextNumbers;
  readonly #form: (text: string) => string;
  readonly #known = new Map<string, number>();

  constructor(numbers: TextNumbers, form: (text: string) => string) {
    this.#numbers = numbers;
    this.#form = form;
  }

  /** The number of the form of a text. */
  of(text: string): number {
    let number = this.#known.get(text);
    if (number === undefined) {
      number = this.#numbers.of(this.#form(text));
      this.#known.set(text, number);
    }
    return number;
  }
}

/** The most lists that are remembered, which take about a megabyte. */
const MAX_LISTS = 10_000;

/** Numbers the texts of lists by their forms. A list that comes again, as the same object, is not read again. */
export class ListNumbers {
  readonly #forms: FormNumbers;
  readonly #known = new Map<readonly string[], readonly number[]>();

  constructor(numbers: TextNumbers, form: (text: string) => string) {
    this.#forms = new FormNumbers(numbers, form);
  }

  /** The numbers of the forms of the texts in order, each once. */
  of(list: readonly string[]): readonly number[] {
    let numbers = this.#known.get(list);
    if (numbers === undefined) {
      numbers = [...new Set(list.map((text) => this.#forms.of(text)))];
      if (this.#known.size === MAX_LISTS) this.#known.clear();
      this.#known.set(list, numbers);
    }
    return numbers;
  }
}
