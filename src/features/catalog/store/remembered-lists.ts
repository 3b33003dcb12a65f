/** The most lists in memory, and the most characters of their texts: a few megabytes, with lists of any length. */
const MAX_LISTS = 10_000;
const MAX_CHARACTERS = 2_000_000;

/** Gives equal texts one shared list. Forgets all lists when there are too many. */
export class RememberedLists {
  readonly #lists = new Map<string, readonly string[]>();
  #characters = 0;

  /** The list of a text, parsed if it is not in memory. */
  of(text: string, read: (text: string) => readonly string[]): readonly string[] {
    let list = this.#lists.get(text);
    if (list === undefined) {
      list = read(text);
      if (this.#lists.size === MAX_LISTS || this.#characters + text.length > MAX_CHARACTERS) {
        this.#lists.clear();
        this.#characters = 0;
      }
      this.#lists.set(text, list);
      this.#characters += text.length;
    }
    return list;
  }
}
