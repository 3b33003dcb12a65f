import { readFileSync } from 'node:fs';
import { derivedId } from '../../src/common/ids.ts';
import type { CatalogIndex, IndexEntry } from '../../src/engines/search/catalog-index.ts';
import { readCsv } from '../../src/features/briefs/csv.ts';

/** A name, a text that is searched, and whether the name should be found by it (`PAIR_FILES`). */
export interface Pair {
  /** The script of the name, or the rule of spelling. */
  kind: string;
  name: string;
  query: string;
  isMatch: boolean;
}

/** What a search for the query of a pair finds. */
export interface Tried {
  pair: Pair;
  /** Whether the name is one of the matches. */
  isFound: boolean;
  /** Whether the name is one of the first ten. */
  isAmongTen: boolean;
}

/** The pairs, and further ones that were written when the misses of the first had been corrected. */
export const PAIR_FILES = ['pairs.csv', 'further-pairs.csv'] as const;

export function readPairs(file: (typeof PAIR_FILES)[number]): Pair[] {
  const rows = readCsv(readFileSync(new URL(file, import.meta.url), 'utf8'));
  if (!Array.isArray(rows)) throw new Error(`${file}: line ${rows.unclosedAt}`);
  return rows.slice(1).map(({ line, cells: [kind, name, query, matches] }) => {
    if (!kind || !name || !query || (matches !== 'yes' && matches !== 'no')) {
      throw new Error(`${file}: line ${line}`);
    }
    return { kind, name, query, isMatch: matches === 'yes' };
  });
}

/** Tracks with the names of the pairs and then these names, which differ in nothing else. */
export function entriesNamed(pairs: readonly Pair[], others: readonly string[]): IndexEntry[] {
  const names = [...new Set(pairs.map(({ name }) => name)), ...others];
  return names.map((name, i) => ({
    rowId: i + 1,
    // The ids decide between equal matches, so they are in no order of the names.
    id: derivedId('bench', 'names', String(i)),
    name,
    type: 'music',
    hasVocals: false,
    releasedAt: 0,
    durationSeconds: 60,
    bpm: 0,
    songKeys: [],
    filterIds: [],
    isrc: '',
    artists: [],
    tags: [],
    region: 'WORLD',
  }));
}

/** Searches for the query of each pair among tracks that begin with the names of the pairs. */
export function tryPairs(
  index: CatalogIndex,
  pairs: readonly Pair[],
  entries: readonly IndexEntry[],
): Tried[] {
  const named = new Map<string, IndexEntry>();
  for (const entry of entries) if (!named.has(entry.name)) named.set(entry.name, entry);
  return pairs.map((pair) => {
    const { id, rowId } = named.get(pair.name)!;
    const query = { text: pair.query };
    const { rowIds } = index.search(query, { offset: 0, limit: 10 });
    return {
      pair,
      isFound: index.locate([id], query)[0] !== undefined,
      isAmongTen: rowIds.includes(rowId),
    };
  });
}
