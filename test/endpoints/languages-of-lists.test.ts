import { describe, expect, it } from 'vitest';
import { delivery } from '../harness/catalog.ts';
import { useLanguageBench } from './languages-support.ts';

const bench = useLanguageBench();
const BY = 'cli';

describe('a filter', () => {
  it('has its translated name within a second, in lists, tracks, facets and suggestions', async () => {
    const { server, ask, localized, plain } = bench();
    const { languages } = server.operator.store;
    const { data } = await ask('listFilters');
    const [first] = data.items.filter(({ trackCount }: { trackCount: number }) => trackCount > 0);
    const names = [{ filter: first.slug, language: 'de', name: 'Zwölfton' }];
    expect(await languages.translateFilters(names, BY)).toBe(1);
    expect(await languages.translateFilters(names, BY)).toBe(0);
    const nameIn = async (language: string) => {
      const listed = await ask('listFilters', { query: { language } });
      return listed.data.items.find(({ id }: { id: string }) => id === first.id).name;
    };
    await server.until(async () => (await nameIn('de')) === 'Zwölfton');
    expect(await nameIn('fr')).toBe(first.name);
    const query = { language: 'de-CH', facets: true };
    const { data: tracks } = await ask('listTracks', { query });
    const shown = tracks.items.flatMap(({ filters }: { filters: object[] }) => filters);
    expect(shown).toContainEqual(expect.objectContaining({ slug: first.slug, name: 'Zwölfton' }));
    expect(tracks.facets.filters).toContainEqual(
      expect.objectContaining({ slug: first.slug, name: 'Zwölfton' }),
    );
    const suggested = await ask('suggest', { query: { q: 'zwölf', language: 'de' } });
    expect(suggested.data.items[0]).toMatchObject({ kind: 'filter', text: 'Zwölfton' });
    const { data: none } = await server.call('suggest', { token: plain, query: { q: 'zwölf' } });
    expect(none.items).toEqual([]);
    const counted = await server.call('listLanguages', { token: localized });
    expect(counted.data.items).toContainEqual({
      language: 'de',
      tracks: 2,
      filters: 1,
      playlists: 0,
    });
    await languages.translateFilters([{ ...names[0]!, name: null }], BY);
    await server.until(async () => (await nameIn('de')) === first.name);
  });
});

describe('the tracks that may be licensed', () => {
  it('are shown in the language of each request, also from the cache', async () => {
    const { ask, server, plain } = bench();
    const query = { licensableIn: ['DE'], search: 'ferry' };
    const nameIn = async (language: string) => {
      const headers = { 'accept-language': language };
      const listed = await ask('listTracks', { query, headers });
      expect(listed.headers['content-language']).toBe(language);
      const chosen = await ask('searchTracks', {
        body: { query: 'ferry', licensableIn: ['DE'], language },
      });
      expect(chosen.data.items[0].name).toBe(listed.data.items[0].name);
      return listed.data.items[0].name;
    };
    // The cache keeps a response at its second request.
    for (let i = 0; i < 3; i++) {
      expect(await nameIn('de')).toBe('Nachtfähre');
      expect(await nameIn('de-CH')).toBe('Nachtschiff');
      const { data } = await server.call('listTracks', { token: plain, query });
      expect(data.items[0].name).toBe('Night Ferry');
    }
    const listed = await ask('listTracks', {
      query: { licensableIn: ['DE'], search: 'nachtfähre' },
    });
    expect(listed.data.items).toMatchObject([{ originalName: 'Night Ferry' }]);
  });
});

describe('a playlist', () => {
  it('has its translated name and description, and makes its language available', async () => {
    const { server, ask, localized } = bench();
    const { store } = server.operator;
    const { data: me } = await server.call('readMe', { token: localized });
    const playlist = await store.playlists.create(
      {
        id: '9f0e6a4d-2a57-4f6e-8c1b-7d3f5b9a0e21',
        name: 'Late',
        description: 'For late guests',
        createdAt: 1,
        updatedAt: 1,
      },
      [delivery(0).id],
      BY,
    );
    await store.playlists.grant(playlist.id, me.clientId, BY);
    const text = { name: 'Tarde', description: null };
    expect(await store.languages.translatePlaylist(playlist.id, 'es', text, BY)).toBe(true);
    expect(await store.languages.translatePlaylist(playlist.id, 'es', text, BY)).toBe(false);
    const headers = { 'accept-language': 'es-MX' };
    const params = { idOrSlug: 'late' };
    await server.until(async () => {
      const { headers: sent } = await ask('showPlaylist', { params, headers });
      return sent['content-language'] === 'es';
    });
    const { data } = await ask('showPlaylist', { params, headers });
    expect(data).toMatchObject({ name: 'Tarde', description: 'For late guests', slug: 'late' });
    const listed = await ask('listPlaylists', { headers });
    expect(listed.data.items[0].name).toBe('Tarde');
    const counted = async () =>
      (await ask('listLanguages')).data.items.filter((one: { playlists: number }) => one.playlists);
    expect(await counted()).toEqual([{ language: 'es', tracks: 0, filters: 0, playlists: 1 }]);
    // A second language of the same texts changes no other response.
    await store.languages.translatePlaylist(playlist.id, 'de', text, BY);
    await server.until(async () => (await counted()).length === 2);
    await store.languages.translatePlaylist(playlist.id, 'de', null, BY);
    await server.until(async () => (await counted()).length === 1);
    const track = { slug: 'night-ferry' };
    const referring = await ask('readTrackReferences', {
      params: track,
      query: { language: 'es' },
    });
    expect(referring.data.playlists).toMatchObject([{ name: 'Tarde', slug: 'late' }]);
    expect(referring.headers['content-language']).toBe('es');
    const plain = await ask('listPlaylists');
    expect(plain.data.items[0].name).toBe('Late');
  });
});

describe('a snapshot', () => {
  it('has the language of the parameter only', async () => {
    const { ask } = bench();
    const lines = async (query: Record<string, string>) => {
      const headers = { 'accept-language': 'de' };
      const { body, headers: sent } = await ask('readTrackSnapshot', { query, headers });
      return [body.toString('utf8').includes('Nachtfähre'), sent['content-language']];
    };
    expect(await lines({ language: 'de' })).toEqual([true, 'de']);
    expect(await lines({})).toEqual([false, 'en']);
  });
});
