import { isUuid } from '../../../common/ids.ts';

/** Returns the column in which to look up a slug or an id. */
export function nameOf(slugOrId: string): { column: 'id' | 'slug'; key: string } {
  return isUuid(slugOrId)
    ? { column: 'id', key: slugOrId.toLowerCase() }
    : { column: 'slug', key: slugOrId };
}

/** Slugs and ids of tracks, to be looked up together. */
export class TrackNames {
  readonly slugs: string[] = [];
  readonly ids: string[] = [];
  /** What to look up for each name, in their order. */
  readonly #keys: string[] = [];

  constructor(names: readonly string[]) {
    for (const name of names) {
      const { column, key } = nameOf(name);
      this.#keys.push(key);
      (column === 'id' ? this.ids : this.slugs).push(key);
    }
  }

  /**
   * Returns the id for each name, in their order.
   *
   * @param rows pairs of a slug or an id, and the id. No slug has the form of an id.
   */
  idsIn(rows: readonly (readonly [string, string])[]): (string | undefined)[] {
    const found = new Map(rows);
    return this.#keys.map((key) => found.get(key));
  }
}
