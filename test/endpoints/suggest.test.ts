import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const TRACKS = [
  ...deliveries(35),
  delivery(40, { name: 'Calmer Waters', filters: [{ type: 'mood', name: 'Nightly Calm' }] }),
  delivery(41, { name: 'calm' }),
  delivery(42, { name: 'CALM!' }),
  delivery(43, { name: 'Jeux d’enfants', filters: [{ type: 'genre', name: "Children's" }] }),
];

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient({ scopes: ['search'] })).token();
});
afterAll(() => server?.close());

type Item = {
  kind: string;
  text: string;
  filter?: { id: string; slug: string };
  trackCount?: number;
};
const suggest = async (q: string, limit?: number): Promise<Item[]> => {
  const query = { q, ...(limit !== undefined && { limit }) };
  return (await server.call('suggest', { query, token })).data.items;
};
const texts = (items: Item[], kind: string) =>
  items.filter((item) => item.kind === kind).map(({ text }) => text);

describe('GET /v1/suggest', () => {
  it('returns filters first, then names without duplicates in other spellings', async () => {
    const items = await suggest('calm');
    expect(texts(items, 'filter')).toEqual(['Calm', 'Nightly Calm']);
    const names = texts(items, 'name');
    expect(names).toHaveLength(2);
    expect(names[0]).toMatch(/^calm!?$/i);
    expect(names[1]).toBe('Calmer Waters');
    expect(items.map(({ kind }) => kind)).toEqual(['filter', 'filter', 'name', 'name']);
  });

  it('returns filters as in the list of filters, with the number of tracks', async () => {
    const all = await server.createClient({ scopes: ['filters', 'search'] });
    const { data } = await server.call('listFilters', { token: await all.token() });
    const calm = data.items.find(({ slug }: { slug: string }) => slug === 'calm');
    const { trackCount, ...filter } = calm;
    expect((await suggest('calm'))[0]).toEqual({
      kind: 'filter',
      text: 'Calm',
      filter,
      trackCount,
    });
  });

  it('completes regardless of case, accents and word order', async () => {
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

  it('completes words after an apostrophe, in names and filters', async () => {
    for (const text of ['enfants', 'enf', "d'enf", 'denf']) {
      expect(texts(await suggest(text), 'name')).toEqual(['Jeux d’enfants']);
    }
    for (const text of ['children', 'childrens', 'children´s']) {
      expect(texts(await suggest(text), 'filter')).toEqual(["Children's"]);
    }
  });

  it('ignores inner words and typos', async () => {
    expect(await suggest('unrise')).toEqual([]);
    expect(await suggest('ocaen')).toEqual([]);
  });

  it('is empty without completions', async () => {
    for (const text of ['', ' ', '  \t', 'zzz', '%', '\u{1f3b5}', 'a'.repeat(200)]) {
      expect(await suggest(text)).toEqual([]);
    }
  });

  it('returns the requested number, ten by default', async () => {
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
      const { data } = await server.call('searchTracks', {
        body: { query: q, pageSize: 100 },
        token,
      });
      const found = [...new Set(data.items.map(({ name }: { name: string }) => name))];
      expect(names).toEqual(found.filter((name) => names.includes(name as string)));
    }
  });

  it('omits a track that was taken down, and filters without tracks', async () => {
    const { id } = TRACKS.find(({ name }) => name === 'Calmer Waters')!;
    await setTrackState(server.operator.store, id, 'taken_down', 'test:harness');
    await server.until(async () => (await suggest('calmer')).length === 0);
    expect(texts(await suggest('nightly'), 'filter')).toEqual([]);
    await setTrackState(server.operator.store, id, 'live', 'test:harness');
    await server.until(async () => (await suggest('calmer')).length === 1);
  });
});
