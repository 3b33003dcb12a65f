import type { CatalogIndex, IndexEntry, IndexPage, IndexQuery } from '../catalog/catalog-index.ts';
import { fold, words } from '../catalog/fold.ts';

/** The rules of decisions §4 written as plainly as they go, scanning everything: the oracle. */
export class NaiveIndex implements CatalogIndex {
  readonly #entries = new Map<string, IndexEntry>();

  constructor(entries: readonly IndexEntry[]) {
    void this.apply(entries, []);
  }

  get size(): number {
    return this.#entries.size;
  }

  search(query: IndexQuery, offset: number, limit: number): IndexPage {
    const ranks = this.#matches(query);
    const ids = [...ranks.keys()].sort((a, b) => {
      const [one, other] = [this.#entries.get(a)!, this.#entries.get(b)!];
      return ranks.get(a)! - ranks.get(b)! || other.releasedAt - one.releasedAt || (a < b ? -1 : 1);
    });
    return { total: ids.length, ids: ids.slice(offset, offset + limit) };
  }

  retain(ids: readonly string[], query: IndexQuery): string[] {
    const ranks = this.#matches(query);
    return ids.filter((id) => ranks.has(id));
  }

  filterCounts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { filterIds } of this.#entries.values()) {
      for (const id of filterIds) {
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Done when it returns. */
  async apply(upserts: readonly IndexEntry[], removedIds: readonly string[]): Promise<void> {
    for (const id of removedIds) {
      this.#entries.delete(id);
    }
    for (const entry of upserts) {
      this.#entries.set(entry.id, entry);
    }
  }

  /** The rank of every track that matches. */
  #matches(query: IndexQuery): Map<string, number> {
    const text = query.text?.trim().normalize('NFC') ?? '';
    const rankings = [(name: string) => rankOf(name, text), (name: string) => typoRank(name, text)];
    if (text === '') {
      rankings.splice(0, 2, () => 1);
    }
    for (const rank of rankings) {
      const found = [...this.#entries.values()]
        .map((entry) => ({ entry, rank: rank(entry.name.normalize('NFC')) }))
        .filter((match) => match.rank !== undefined);
      if (found.length > 0) {
        return new Map(
          found
            .filter(({ entry }) => passes(entry, query))
            .map((match) => [match.entry.id, match.rank!]),
        );
      }
    }
    return new Map();
  }
}

function passes(entry: IndexEntry, query: IndexQuery): boolean {
  return (
    (query.type === undefined || entry.type === query.type) &&
    (query.hasVocals === undefined || entry.hasVocals === query.hasVocals) &&
    (query.isrc === undefined || entry.isrc === query.isrc) &&
    (query.filterIds ?? []).every((id) => entry.filterIds.includes(id))
  );
}

function hasLetterOrDigit(text: string): boolean {
  return [...text].some((character) => /[\p{L}\p{N}]/u.test(character) && fold(character) !== '');
}

/** The first rank that holds, but for typos. */
export function rankOf(name: string, text: string): number | undefined {
  if (!hasLetterOrDigit(text)) {
    return name === text ? 1 : name.startsWith(text) ? 2 : name.includes(text) ? 5 : undefined;
  }
  const folded = fold(text);
  const wanted = words(text);
  const there = words(name);
  if (fold(name) === folded) {
    return 1;
  }
  if (fold(name).startsWith(folded)) {
    return 2;
  }
  if (wanted.every((word) => there.includes(word))) {
    return 3;
  }
  if (wanted.every((word) => there.some((other) => other.startsWith(word)))) {
    return 4;
  }
  if (wanted.every((word) => there.some((other) => other.includes(word)))) {
    return 5;
  }
  return undefined;
}

function typoRank(name: string, text: string): number | undefined {
  if (!hasLetterOrDigit(text)) {
    return undefined;
  }
  const there = words(name);
  const matches = words(text).every((word) => {
    const letters = [...word].length;
    const typos = letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
    return there.some((other) => other.includes(word) || alignment(word, other) <= typos);
  });
  return matches ? 6 : undefined;
}

/** The optimal string alignment distance, from its textbook table. */
export function alignment(one: string, other: string): number {
  const a = [...one];
  const b = [...other];
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = least;
    }
  }
  return table[a.length]![b.length]!;
}
