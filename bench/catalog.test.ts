import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexEntry } from '../src/engines/search/catalog-index.ts';
import {
  HAS_SHARED_DATA,
  type ImportBench,
  openImportBench,
  SHARED_DATA,
} from '../test/harness/import-bench.ts';
import { BENCH_SOURCE, indexEntries, uniquelyNamed, writeCatalog } from './catalog.ts';
import { readRealParts } from './real-parts.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe.skipIf(!HAS_SHARED_DATA)('the synthetic catalog', () => {
  it('is the same in memory as after its import', async () => {
    const parts = await readRealParts(SHARED_DATA);
    const path = join(bench.folder, 'catalog.ndjson');
    await writeCatalog(path, 300, parts);
    const { summary } = await bench.run([path], { source: BENCH_SOURCE });
    expect(summary).toMatchObject({ read: 300, created: 300 });

    const imported: IndexEntry[] = [];
    for await (const slice of bench.store.catalog.allIndexEntries()) imported.push(...slice);
    const canonical = (entry: IndexEntry) => ({
      ...entry,
      filterIds: [...entry.filterIds].sort(),
      name: entry.name.normalize('NFC'),
    });
    expect(imported.map(canonical)).toEqual([...indexEntries(300, parts)].map(canonical));
  });

  it('is the beginning of every larger one, and has words that only one name contains', async () => {
    const parts = await readRealParts(SHARED_DATA);
    const [small, great] = [1_000, 3_000].map((size) => [...indexEntries(size, parts)]);
    expect(great!.slice(0, 1_000)).toEqual(small);

    const unique = uniquelyNamed(3_000, 1_000, parts);
    expect(unique.length).toBeGreaterThan(60);
    for (const { id, word } of unique) {
      const named = great!.filter(({ name }) => name.includes(word));
      expect(named.map((entry) => entry.id)).toEqual([id]);
    }
  });
});
