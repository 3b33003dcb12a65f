/** A set of numbers, stored as ranges that include both ends. Small if most numbers are consecutive. */
export class NumberRanges {
  readonly #ranges: [first: number, last: number][] = [];

  /** Adds consecutive numbers that are greater than all numbers in the set. */
  add(numbers: readonly number[]): void {
    const [first] = numbers;
    if (first === undefined) return;
    const last = this.#ranges.at(-1);
    if (last?.[1] === first - 1) last[1] = numbers.at(-1)!;
    else this.#ranges.push([first, numbers.at(-1)!]);
  }

  has(number: number): boolean {
    return this.#ranges.some(([first, last]) => number >= first && number <= last);
  }

  /** Returns the set in PostgreSQL's notation of an int8multirange. */
  toString(): string {
    return `{${this.#ranges.map(([first, last]) => `[${first},${last}]`).join()}}`;
  }
}
