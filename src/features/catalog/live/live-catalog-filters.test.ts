import { describe, expect, it } from 'vitest';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import type { ChosenState } from '../../availability/availability.ts';
import {
  deliver,
  delivery,
  idOf,
  live,
  openStoreForEachTest,
  store,
} from './live-catalog.test-support.ts';

openStoreForEachTest();

describe('filters', () => {
  const genre = (name: string) => ({ type: 'genre' as const, name });
  const mood = (name: string) => ({ type: 'mood' as const, name });

  it('are listed by type and name, with current counts', async () => {
    const { catalog, catchUp, find } = await live();
    expect(catalog.filters()).toEqual([]);
    await deliver(
      delivery('A', { filters: [mood('Calm'), genre('Rock')] }),
      delivery('B', { filters: [mood('Angry'), mood('Calm')] }),
    );
    await catchUp();
    const counts = () => catalog.filters().map(({ slug, trackCount }) => `${slug} ${trackCount}`);
    expect(counts()).toEqual(['rock 1', 'angry 1', 'calm 2']);
    expect(catalog.filters('mood').map(({ slug }) => slug)).toEqual(['angry', 'calm']);
    expect(catalog.filters('use-case')).toEqual([]);
    expect(await find({ filterSlugs: ['angry'] })).toEqual([1, 'B']);
    await setTrackState(store, idOf('B'), 'taken_down', 'cli:test');
    await catchUp();
    expect(counts()).toEqual(['rock 1', 'angry 0', 'calm 1']);
    await store.catalog.removeSource('test', 'cli:test');
    await catchUp();
    expect(counts()).toEqual([]);
  });

  it('are read again only after a change that may have added or removed one', async () => {
    await deliver(delivery('A', { filters: [mood('Calm')] }));
    const { catalog, catchUp, reads } = await live();
    const readsFor = async (change: () => Promise<unknown>) => {
      const before = reads.filters;
      await change();
      await catchUp();
      return reads.filters - before;
    };
    const calm = { filters: [mood('Calm')] };
    expect(await readsFor(() => deliver(delivery('B', calm)))).toBe(0);
    expect(await readsFor(() => deliver(delivery('B', { ...calm, name: 'B2' })))).toBe(0);
    const setState = (state: ChosenState) => setTrackState(store, idOf('B'), state, 'cli:test');
    expect(await readsFor(() => setState('taken_down'))).toBe(0);
    // A track that is not live adds its filters too.
    expect(await readsFor(() => deliver(delivery('B', { filters: [mood('Late')] })))).toBe(1);
    expect(catalog.filters().map(({ slug }) => slug)).toEqual(['calm', 'late']);
    expect(await readsFor(() => setState('live'))).toBe(0);
    expect(await readsFor(() => deliver(delivery('C', { filters: [genre('Rock')] })))).toBe(1);
    // One batch replaces the name of a filter.
    const renamed = async () => {
      await store.catalog.removeSource('test', 'cli:test');
      await deliver(delivery('D', { filters: [mood('CALM')] }));
    };
    expect(await readsFor(renamed)).toBe(1);
    expect(catalog.filters().map(({ name }) => name)).toEqual(['CALM']);
  });

  it('are suggested if each word of the text begins a word of the filter, most used first', async () => {
    await deliver(
      delivery('A', { filters: [genre('Drum & Bass'), genre('Dance'), genre('Bässe')] }),
      delivery('B', { filters: [genre('Dance'), mood('Dreamy')] }),
      delivery('C', { filters: [genre('Dub')] }),
    );
    await setTrackState(store, idOf('C'), 'taken_down', 'cli:test');
    const { catalog } = await live();
    const completing = (text: string, limit = 10) =>
      catalog.suggest(text, limit).filters.map(({ name, trackCount }) => `${name} ${trackCount}`);
    expect(completing('d')).toEqual(['Dance 2', 'Dreamy 1', 'Drum & Bass 1']);
    expect(completing('d', 2)).toEqual(['Dance 2', 'Dreamy 1']);
    expect(completing('BASS')).toEqual(['Bässe 1', 'Drum & Bass 1']);
    expect(completing('bas dr')).toEqual(['Drum & Bass 1']);
    expect(completing('ance')).toEqual([]);
    expect(completing(' & ')).toEqual([]);
    expect(completing('')).toEqual([]);
  });
});
