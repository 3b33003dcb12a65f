/** Makes each value once, when it is first wanted. A failure is not kept, so that the next request tries again. */
export class Kept<Key, Value> {
  readonly #make: (key: Key) => Promise<Value>;
  readonly #made = new Map<Key, Promise<Value>>();

  constructor(make: (key: Key) => Promise<Value>) {
    this.#make = make;
  }

  get(key: Key): Promise<Value> {
    let value = this.#made.get(key);
    if (value === undefined) {
      value = this.#make(key);
      this.#made.set(key, value);
      value.catch(() => this.#made.delete(key));
    }
    return value;
  }
}
