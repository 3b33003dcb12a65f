import { describe, expect, it } from 'vitest';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import {
  deliver,
  delivery,
  idOf,
  live,
  openStoreForEachTest,
  store,
} from './live-catalog.test-support.ts';

openStoreForEachTest();

describe('documents', () => {
  it('are read from the store until the second request, and then returned from memory', async () => {
    await deliver(delivery('A'), delivery('B'));
    const { catalog, reads, rowIdsOf } = await live();
    const [a, b] = rowIdsOf('A', 'B') as [number, number];
    const first = catalog.documents([a, 1_000]);
    expect(first).toBeInstanceOf(Promise);
    expect((await first).map((document) => document?.id)).toEqual([idOf('A'), undefined]);
    const second = await catalog.documents([b, a]);
    expect(second.map((document) => document?.id)).toEqual([idOf('B'), idOf('A')]);
    await catalog.documents([a, b]);
    expect(reads.documents).toEqual([[a, 1_000], [b, a], [b]]);
    const fourth = catalog.documents([a, b]);
    expect(Array.isArray(fourth)).toBe(true);
    expect(catalog.documents([])).toEqual([]);
  });

  it('are removed from memory when their track changes', async () => {
    await deliver(delivery('A'), delivery('B'));
    const { catchUp, reads, rowIdsOf, namesOf } = await live();
    const both = rowIdsOf('A', 'B');
    for (let i = 0; i < 3; i++) {
      expect(await namesOf(both)).toEqual(['A', 'B']);
    }
    await deliver(delivery('A', { name: 'A2' }));
    await setTrackState(store, idOf('B'), 'taken_down', 'cli:test');
    await catchUp();
    expect(await namesOf(both)).toEqual(['A2', '(none)']);
    expect(reads.documents).toHaveLength(3);
  });

  it('are not kept in memory if they were read before a change', async () => {
    await deliver(delivery('A'));
    const gate = Promise.withResolvers<void>();
    const { catchUp, rowIdsOf, namesOf } = await live({ afterReading: () => gate.promise });
    const rowIds = rowIdsOf('A');
    const early = [namesOf(rowIds), namesOf(rowIds)];
    // The documents must be read before the change is written.
    await store.catalog.counts();
    await deliver(delivery('A', { name: 'A2' }));
    await catchUp();
    gate.resolve();
    expect(await Promise.all(early)).toEqual([['A'], ['A']]);
    expect(await namesOf(rowIds)).toEqual(['A2']);
  });

  it('stay within their memory limit', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `Track ${i}`);
    await deliver(...keys.map((key) => delivery(key, { tags: ['x'.repeat(1_000)] })));
    const { catalog, reads, rowIdsOf } = await live({ documentCacheBytes: 20_000 });
    const rowIds = rowIdsOf(...keys);
    for (const number of [...rowIds, ...rowIds]) {
      await catalog.documents([number]);
    }
    await catalog.documents([rowIds[0]!]);
    await catalog.documents([rowIds[39]!]);
    expect(reads.documents).toHaveLength(81);
    expect(reads.documents.at(-1)).toEqual([rowIds[0]]);
  });
});
