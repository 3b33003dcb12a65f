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
export class FormNumbers {
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

/** The least and the greatest number of slots of the cache of words: powers of two. */
const MIN_SLOTS = 2 ** 8;
const MAX_SLOTS = 2 ** 16;

/** Numbers the words of names. Finds most words of ASCII names without making a string of them. */
export class WordNumbers extends TextNumbers {
  /** A cache: for each slot, the last word whose hash is the slot, and its number. */
  #words: string[] = new Array(MIN_SLOTS).fill('');
  #numberOf = new Uint32Array(MIN_SLOTS);
  #letters = new Uint8Array(256);

  /**
   * Calls back with the numbers of the words of a name in order. Returns false, without any call, unless the
   * name consists of ASCII characters without apostrophes: its search form is then the runs of letters and
   * digits in lower case.
   */
  eachOfPlain(name: string, visit: (number: number) => void): boolean {
    const { length } = name;
    if (length >= this.#letters.length) this.#letters = new Uint8Array(length * 2);
    const letters = this.#letters;
    for (let i = 0; i < length; i++) {
      const code = name.charCodeAt(i);
      if (code > 0x7f || code === APOSTROPHE || code === GRAVE) return false;
      letters[i] = FOLDED[code]!;
    }
    // The last word ends like the others.
    letters[length] = 0;
    let hash = 0;
    let start = 0;
    for (let i = 0; i <= length; i++) {
      const letter = letters[i]!;
      if (letter !== 0) {
        hash = Math.imul(hash ^ letter, 0x9e37_79b1);
        hash ^= hash >>> 15;
      } else {
        if (i > start) visit(this.#wordAt(letters, start, i, hash));
        start = i + 1;
        hash = 0;
      }
    }
    return true;
  }

  #wordAt(letters: Uint8Array, start: number, end: number, hash: number): number {
    const slot = hash & (this.#words.length - 1);
    const known = this.#words[slot]!;
    if (known.length === end - start) {
      let i = start;
      while (i < end && known.charCodeAt(i - start) === letters[i]) i++;
      if (i === end) return this.#numberOf[slot]!;
    }
    const word = String.fromCharCode(...letters.subarray(start, end));
    const number = this.of(word);
    this.#words[slot] = word;
    this.#numberOf[slot] = number;
    if (this.size > this.#words.length && this.#words.length < MAX_SLOTS) {
      const slots = this.#words.length * 4;
      this.#words = new Array(slots).fill('');
      this.#numberOf = new Uint32Array(slots);
    }
    return number;
  }
}

const APOSTROPHE = 0x27;
const GRAVE = 0x60;

/** The lower case of each ASCII letter and digit; 0 for all other characters. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
});
