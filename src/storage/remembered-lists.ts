/** How many different lists are remembered: a megabyte or two. */
const MAX_LISTS = 10_000;

/** One list for all who have the same, by the text it was read from; beyond the bound it begins anew. */
export class RememberedLists {
  readonly #lists = new Map<string, readonly string[]>();

  has(text: string): boolean {
    return this.#lists.has(text);
  }

  /** The list of a text, read where it is not remembered. */
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
