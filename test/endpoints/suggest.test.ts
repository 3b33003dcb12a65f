import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';

const TRACKS = [
  ...deliveries(35),
  delivery(40, { name: 'Calmer Waters', filters: [{ type: 'mood', name: 'Nightly Calm' }] }),
  delivery(41, { name: 'calm' }),
  delivery(42, { name: 'CALM!' }),
];

let house: TestHouse;
let token: string;
beforeAll(async () => {
  house = await startHouse({ tracks: TRACKS });
  token = await (await house.createClient({ scopes: ['search'] })).token();
});
afterAll(() => house?.close());

type Item = {
  kind: string;
  text: string;
  filter?: { id: string; slug: string };
  trackCount?: number;
};
const suggest = async (q: string, limit?: number): Promise<Item[]> => {
  const query = { q, ...(limit !== undefined && { limit }) };
  return (await house.call('suggest', { query, token })).data.items;
};
const texts = (items: Item[], kind: string) =>
  items.filter((item) => item.kind === kind).map(({ text }) => text);

describe('GET /v1/suggest', () => {
  it('gives filters first, then names, each once however it is spelt', async () => {
    const items = await suggest('calm');
    expect(texts(items, 'filter')).toEqual(['Calm', 'Nightly Calm']);
    const names = texts(items, 'name');
    expect(names).toHaveLength(2);
    expect(names[0]).toMatch(/^calm!?$/i);
    expect(names[1]).toBe('Calmer Waters');
    expect(items.map(({ kind }) => kind)).toEqual(['filter', 'filter', 'name', 'name']);
  });

  it('gives filters as lists of filters do, with the tracks that carry them', async () => {
    const all = await house.createClient({ scopes: ['filters', 'search'] });
    const { data } = await house.call('listFilters', { token: await all.token() });
    const calm = data.items.find(({ slug }: { slug: string }) => slug === 'calm');
    const { trackCount, ...filter } = calm;
    expect((await suggest('calm'))[0]).toEqual({
      kind: 'filter',
      text: 'Calm',
      filter,
      trackCount,
    });
  });

  it('completes as one types: case, accents and word order aside', async () => {
    expect(texts(await suggest('BEYO'), 'name')).toEqual(['Beyoncé on the Radio']);
    expect(texts(await suggest('radio beyonce'), 'name')).toEqual(['Beyoncé on the Radio']);
    expect(texts(await suggest('ocean'), 'name')).toEqual([
      'Ocean',
      'Ocean Drive',
      'The Ocean at Night',
    ]);
    expect(texts(await suggest('drum b'), 'filter')).toEqual(['Drum & Bass']);
    expect(texts(await suggest('夜'), 'name')).toEqual(['夜の海']);
  });

  it('leaves words inside words and typos to the search', async () => {
    expect(await suggest('unrise')).toEqual([]);
    expect(await suggest('ocaen')).toEqual([]);
  });

  it('has nothing for what completes nothing', async () => {
    for (const text of ['', ' ', '  \t', 'zzz', '%', '\u{1f3b5}', 'a'.repeat(200)]) {
      expect(await suggest(text)).toEqual([]);
    }
  });

  it('gives as many as are asked for, ten by default', async () => {
    for (const limit of [1, 2, 3, 10, 20]) {
      const items = await suggest('n', limit);
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThanOrEqual(limit);
      expect(await suggest('n', limit)).toEqual(items);
    }
    expect(await suggest('n', 10)).toEqual(await suggest('n'));
  });

  it('suggests only names that the search finds, best first', async () => {
    for (const q of ['o', 'n', 'th', 'calm', 'river']) {
      const names = texts(await suggest(q, 20), 'name');
      const { data } = await house.call('searchTracks', {
        body: { query: q, pageSize: 100 },
        token,
      });
      const found = [...new Set(data.items.map(({ name }: { name: string }) => name))];
      expect(names).toEqual(found.filter((name) => names.includes(name as string)));
    }
  });

  it('forgets a track that was taken down, and filters that no track is left of', async () => {
    const { id } = TRACKS.find(({ name }) => name === 'Calmer Waters')!;
    await house.operator.store.catalog.setState(id, 'taken_down', 'test:harness');
    await house.until(async () => (await suggest('calmer')).length === 0);
    expect(texts(await suggest('nightly'), 'filter')).toEqual([]);
    await house.operator.store.catalog.setState(id, 'live', 'test:harness');
    await house.until(async () => (await suggest('calmer')).length === 1);
  });
});
