import { expect } from 'vitest';
import type { CatalogIndex, IndexEntry, IndexQuery, IndexSort } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';

/** Builds an index of tracks with these names. The first track is the newest. */
export function indexOf(...names: string[]): CatalogIndex {
  return builtOver(names.map((name, i) => track(i, { name, releasedAt: -i })));
}

export function id(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
}

export function track(i: number, values: Partial<IndexEntry> = {}): IndexEntry {
  return {
    rowId: i + 1,
    id: id(i),
    name: 'Untitled',
    type: 'music',
    hasVocals: false,
    releasedAt: 0,
    durationSeconds: 0,
    bpm: 0,
    songKeys: [],
    filterIds: [],
    isrc: '',
    region: 'WORLD',
    artists: [],
    tags: [],
    ...values,
  };
}

/** Returns the numbers of the matching tracks, in order. */
export function matches(index: CatalogIndex, query: IndexQuery, sort?: IndexSort): number[] {
  const { total, rowIds } = index.search(query, { offset: 0, limit: 100, sort });
  expect(rowIds).toHaveLength(total);
  return rowIds.map((rowId) => rowId - 1);
}

/** Returns the names that the text finds, best first. */
export function found(names: string[], text: string): string[] {
  return matches(indexOf(...names), { text }).map((i) => names[i]!);
}
