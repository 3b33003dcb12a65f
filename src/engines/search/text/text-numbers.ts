import { GrowingBytes, GrowingUint32 } from '../build/growing.ts';

/** Numbers texts in the order of their first occurrence. */
export class TextNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text. An unknown text gets the next number. */
  of(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
      this.#texts.push(text);
    }
    return number;
  }

  text(number: number): string {
    return this.#texts[number]!;
  }

  texts(): string[] {
    return this.#texts.slice();
  }
}

/** A list of texts that several tracks may have. It keeps its last numbers, because a map of lists would take longer. */
export interface TextList extends ReadonlyArray<string> {
  numbered?: { by: number; numbers: readonly number[] };
}

const NO_NUMBERS: readonly number[] = [];

let numberings = 0;

/**
 * Numbers the texts of lists by their forms. The form of a text is made once, and a list that comes again, as the same
 * object, is not read again.
 */
export class ListNumbers {
  readonly #numbers: TextNumbers;
  readonly #form: (text: string) => string;
  readonly #texts = new Map<string, number>();
  /** Lists refer to it by this number, because they may be in memory for longer. */
  readonly #number = ++numberings;

  constructor(numbers: TextNumbers, form: (text: string) => string) {
    this.#numbers = numbers;
    this.#form = form;
  }

  /** The numbers of the forms of the texts in order, each once. */
  of(list: TextList): readonly number[] {
    if (list.length === 0) return NO_NUMBERS;
    const { numbered } = list;
    if (numbered?.by === this.#number) return numbered.numbers;
    const numbers = [...new Set(list.map((text) => this.#numberOf(text)))];
    list.numbered = { by: this.#number, numbers };
    return numbers;
  }

  #numberOf(text: string): number {
    let number = this.#texts.get(text);
    if (number === undefined) {
      number = this.#numbers.of(this.#form(text));
      this.#texts.set(text, number);
    }
    return number;
  }
}

/** The least number of slots, a power of two. */
const MIN_SLOTS = 2 ** 10;

/**
 * Numbers words in the order of their first occurrence. The letters of words in ASCII are in one array, with a hash
 * table over them, so that no text is made of a word that is known.
 */
export class WordNumbers {
  /** An open-addressed hash table of the words in ASCII: each number plus 1; 0 marks a free slot. */
  #slots = new Uint32Array(MIN_SLOTS);
  /** By number, the hash of a word. */
  readonly #hashes = new GrowingUint32();
  /** The letters of the words in ASCII, end to end; by number, where the letters of a word end. */
  readonly #letters = new GrowingBytes();
  readonly #ends = new GrowingUint32();
  readonly #others = new Map<string, number>();
  /** The letters of the word or name that is being read. */
  #read = new Uint8Array(256);

  get size(): number {
    return this.#ends.length;
  }

  /** The number of a word. An unknown word gets the next number. */
  of(word: string): number {
    const letters = this.#roomFor(word);
    let hash = 0;
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i);
      if (code > 0x7f) return this.#otherNumber(word);
      letters[i] = code;
      hash = mixed(hash, code);
    }
    return this.#numberOf(0, word.length, hash);
  }

  /**
   * Calls back with the numbers of the words of a name in order. Does nothing and returns undefined, unless the name
   * consists of ASCII characters without apostrophes: its search form is then the runs of letters and digits in lower
   * case. Otherwise returns whether it has symbols, or several spaces together.
   */
  eachOfPlain(name: string, visit: (number: number) => void): boolean | undefined {
    const { length } = name;
    const letters = this.#roomFor(name);
    let hasSymbols = false;
    for (let i = 0; i < length; i++) {
      const code = name.charCodeAt(i);
      if (code > 0x7f || code === APOSTROPHE || code === GRAVE) return undefined;
      const letter = FOLDED[code]!;
      letters[i] = letter;
      if (letter === 0 && (code !== SPACE || (i > 0 && letters[i - 1] === 0))) hasSymbols = true;
    }
    // The last word ends like the others.
    letters[length] = 0;
    let hash = 0;
    let start = 0;
    for (let i = 0; i <= length; i++) {
      const letter = letters[i]!;
      if (letter !== 0) {
        hash = mixed(hash, letter);
      } else {
        if (i > start) visit(this.#numberOf(start, i, hash));
        start = i + 1;
        hash = 0;
      }
    }
    return hasSymbols;
  }

  /** A word by its number, if it is in ASCII; `""` otherwise. */
  asciiWord(number: number): string {
    const start = number === 0 ? 0 : this.#ends.at(number - 1);
    return this.#letters.buffer.toString('latin1', start, this.#ends.at(number));
  }

  texts(): string[] {
    const texts: string[] = new Array(this.size);
    for (const [text, number] of this.#others) texts[number] = text;
    const letters = this.#letters.buffer;
    for (let number = 0, from = 0; number < texts.length; number++) {
      const end = this.#ends.at(number);
      if (end > from) texts[number] = letters.toString('latin1', from, end);
      from = end;
    }
    return texts;
  }

  /** An array for the letters of a text, and one more. */
  #roomFor(text: string): Uint8Array {
    if (text.length >= this.#read.length) this.#read = new Uint8Array(text.length * 2);
    return this.#read;
  }

  /** The number of the word whose letters were read at `from` to `to - 1`. */
  #numberOf(from: number, to: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = slots[slot]! - 1;
      if (this.#hashes.at(number) === hash >>> 0 && this.#hasLetters(number, from, to))
        return number;
    }
    for (let i = from; i < to; i++) this.#letters.push(this.#read[i]!);
    slots[slot] = this.#add(hash) + 1;
    // With a load of at most a half, a word is found within a few slots.
    if (this.size * 2 > slots.length) this.#enlarge();
    return this.size - 1;
  }

  #hasLetters(number: number, from: number, to: number): boolean {
    const letters = this.#letters.buffer;
    const begin = number === 0 ? 0 : this.#ends.at(number - 1);
    if (this.#ends.at(number) - begin !== to - from) return false;
    for (let i = from, at = begin; i < to; i++, at++) {
      if (letters[at] !== this.#read[i]) return false;
    }
    return true;
  }

  #otherNumber(word: string): number {
    let number = this.#others.get(word);
    if (number === undefined) {
      number = this.#add(0);
      this.#others.set(word, number);
    }
    return number;
  }

  #add(hash: number): number {
    this.#hashes.push(hash);
    this.#ends.push(this.#letters.length);
    return this.size - 1;
  }

  #enlarge(): void {
    const slots = new Uint32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (const entry of this.#slots) {
      if (entry === 0) continue;
      let slot = this.#hashes.at(entry - 1) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
    this.#slots = slots;
  }
}

function mixed(hash: number, letter: number): number {
  const next = Math.imul(hash ^ letter, 0x9e37_79b1);
  return next ^ (next >>> 15);
}

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const GRAVE = 0x60;

/** The lower case of each ASCII letter and digit; 0 for all other characters. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
});

/** Lists of texts, one for each track, in which each distinct text is stored once. */
export interface TextLists {
  /** The distinct texts in the order of their first occurrence. */
  texts: readonly string[];
  numbers: Uint16Array | Uint32Array;
  /** Where each list ends in `numbers`. */
  ends: Uint32Array;
}

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

  end(): void {
    this.#ends.push(this.#numbers.length);
  }

  /** Valid until the next call of another method. */
  collected(numbers: { texts(): readonly string[] }): TextLists {
    return { texts: numbers.texts(), numbers: this.#numbers.view, ends: this.#ends.view };
  }
}
