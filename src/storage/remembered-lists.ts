/** The most lists in memory, which take one or two megabytes. */
const MAX_LISTS = 10_000;

/** Gives equal texts one shared list. Forgets all lists when there are too many. */
export class RememberedLists {
  readonly #lists = new Map<string, readonly string[]>();

  has(text: string): boolean {
    return this.#lists.has(text);
  }

  /** The list of a text, parsed if it is not in memory. */
  of(text: string, read: (text: string) => readonly string[]): readonly string[] {
    let list = this.#lists.get(text);
    if (list === undefined) {
      list = read(text);
      if (this.#lists.size === MAX_LISTS) this.#lists.clear();
      this.#lists.set(text, list);
    }
    return list;
  }
}
