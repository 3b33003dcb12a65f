import type { CatalogIndex } from '../../../engines/search/catalog-index.ts';

/** Counts by the name of the popularity. */
export type GivenCounts = Map<string, ReadonlyMap<string, number>>;

/** The last counts of each popularity, for indexes that are made later. */
export class Popularities {
  readonly #counts: GivenCounts = new Map();

  set(name: string, counts: ReadonlyMap<string, number>): void {
    this.#counts.set(name, counts);
  }

  /** Whether an index that was given these counts has all of them. */
  areIn(given: GivenCounts): boolean {
    return this.#missing(given) === undefined;
  }

  /** Gives an index the counts that it does not have yet, and adds them to `given`. */
  async giveTo(index: Pick<CatalogIndex, 'setPopularity'>, given: GivenCounts): Promise<void> {
    // Checked again after each call, because other counts may have been set meanwhile.
    for (let next = this.#missing(given); next !== undefined; next = this.#missing(given)) {
      await index.setPopularity(...next);
      given.set(...next);
    }
  }

  #missing(given: GivenCounts): [name: string, ReadonlyMap<string, number>] | undefined {
    return [...this.#counts].find(([name, counts]) => given.get(name) !== counts);
  }
}
