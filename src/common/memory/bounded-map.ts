/**
 * A map for what can be found again. It is emptied when it is full, which costs less than ordering the entries
 * by use, as long as most keys of an import recur soon or all of them fit.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number;
  readonly #entries = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#max) this.#entries.clear();
    this.#entries.set(key, value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
