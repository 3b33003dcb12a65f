import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useLanguageBench } from './languages-support.ts';

const bench = useLanguageBench();
const FERRY = { slug: 'night-ferry' };

/** Headers, and the languages that they choose. */
const HEADERS: readonly (readonly [header: string, language: string])[] = [
  ['de', 'de'],
  ['DE', 'de'],
  ['de-CH', 'de-CH'],
  ['de-ch', 'de-CH'],
  ['de-CH-1996', 'de-CH'],
  ['de-AT', 'de'],
  ['de-x-private', 'de'],
  ['fr, de', 'fr'],
  ['fr;q=0.5, de', 'de'],
  ['fr;q=0.5, de;q=0.8', 'de'],
  ['fr;q=0.8, de;q=0.8', 'fr'],
  ['de;q=0.8, fr;q=0.80', 'de'],
  ['da, de;q=0.1', 'de'],
  ['en, de', 'en'],
  ['en-GB, de;q=0.9', 'en'],
  ['*', 'en'],
  ['*, fr', 'fr'],
  ['*;q=0.9, fr;q=0.1', 'fr'],
  ['de;q=0', 'en'],
  ['de;q=0, de-CH', 'de-CH'],
  ['de-CH;q=0, de', 'de'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-Hans-CN', 'en'],
  ['zh', 'en'],
  ['i-klingon', 'i-klingon'],
  ['I-KLINGON', 'i-klingon'],
  ['pt-br', 'pt-BR'],
  ['pt', 'en'],
  ['de_CH', 'en'],
  ['de_CH, fr', 'fr'],
  ['de;q=1.5, fr;q=0.1', 'fr'],
  ['de; q=0.5 , fr ;q=0.6', 'fr'],
  [',,;;q=,=,', 'en'],
  [`${'xx,'.repeat(50)}de`, 'en'],
];

describe('the language of a response', () => {
  it.each(HEADERS)('for Accept-Language %j is %s', async (header, language) => {
    const headers = { 'accept-language': header };
    const response = await bench().ask('showTrack', { params: FERRY, headers });
    expect(response.headers['content-language']).toBe(language);
    expect(response.headers.vary).toContain('Accept-Language');
  });

  it('is that of the parameter rather than that of the header', async () => {
    const headers = { 'accept-language': 'fr' };
    const query = { language: 'DE' };
    const response = await bench().ask('listTracks', { query, headers });
    expect(response.headers['content-language']).toBe('de');
    const body = { language: 'de-CH-1996' };
    const searched = await bench().ask('searchTracks', { body, headers });
    expect(searched.headers['content-language']).toBe('de-CH');
  });

  it('is the original without a header, and for a language that there is not', async () => {
    for (const query of ['', 'language=ja']) {
      const { headers, data } = await bench().ask('showTrack', { params: FERRY, query });
      expect(headers['content-language']).toBe('en');
      expect(data).toMatchObject({ name: 'Night Ferry', originalName: 'Night Ferry' });
    }
  });

  it.each(['xx_YY', '*', 'd', ''])('must not be %j', async (language) => {
    const { status, error } = await bench().ask('listTracks', { query: { language } });
    expect(status).toBe(400);
    expect(error.details).toEqual([expect.objectContaining({ field: 'language' })]);
    const { status: searched } = await bench().ask('searchTracks', { body: { language } });
    expect(searched).toBe(400);
  });
});

describe('a localized track', () => {
  const shown = async (language: string, slug = 'night-ferry') =>
    (await bench().ask('showTrack', { params: { slug }, query: { language } })).data;

  it('has its name, tags and language', async () => {
    expect(await shown('de')).toMatchObject({
      ...FERRY,
      name: 'Nachtfähre',
      tags: ['Klavier'],
      language: 'de',
      originalName: 'Night Ferry',
    });
  });

  it('shows each field in the next language that has it', async () => {
    expect(await shown('de-CH')).toMatchObject({
      name: 'Nachtschiff',
      tags: ['Klavier'],
      language: 'de-CH',
    });
    expect(await shown('fr')).toMatchObject({
      name: 'Night Ferry',
      tags: ['piano'],
      language: 'en',
    });
  });

  it('names the language of its record', async () => {
    const { data } = await bench().ask('listTracks', { query: { language: 'de' } });
    const languages = data.items.map(({ language }: { language: string }) => language);
    expect(new Set(languages)).toEqual(new Set(['de', 'en', 'pt-BR']));
    expect(data.items.map(({ slug }: { slug: string }) => slug)).toEqual(
      (await bench().ask('listTracks')).data.items.map(({ slug }: { slug: string }) => slug),
    );
  });

  it('is the same wherever it is shown', async () => {
    const track = await shown('de');
    const query = { language: 'de' };
    const [listed, batch, similar, feed] = [
      await bench().ask('listTracks', { query: { ...query, search: 'night ferry' } }),
      await bench().ask('batchTracks', { query, body: { tracks: ['night-ferry'] } }),
      await bench().ask('listSimilarTracks', { query, params: { slug: 'sunrise' } }),
      await bench().ask('listTrackChanges', {
        query: { ...query, since: '1970-01-01T00:00:00.000Z' },
      }),
    ];
    const named = [
      listed.data.items[0],
      batch.data.items[0],
      ...similar.data.items.map((item: { track: object }) => item.track),
      ...feed.data.items.map((item: { track: object }) => item.track),
    ].filter(({ slug }: { slug: string }) => slug === 'night-ferry');
    expect(named.length).toBeGreaterThanOrEqual(3);
    for (const one of named) {
      expect(one).toMatchObject({ name: track.name, tags: track.tags, language: 'de' });
    }
    expect(feed.headers['content-language']).toBe('de');
    expect(feed.headers.vary ?? '').not.toContain('Accept-Language');
  });

  it('is shown by the feed in the original whatever Accept-Language says', async () => {
    const headers = { 'accept-language': 'de' };
    const query = { since: '1970-01-01T00:00:00.000Z' };
    const feed = await bench().ask('listTrackChanges', { query, headers });
    expect(JSON.stringify(feed.data)).not.toContain('Nachtfähre');
    expect(feed.headers['content-language']).toBe('en');
  });

  it('is a fixture, too', async () => {
    const slug = 'f1c70000-0000-4000-8000-000000000200';
    expect(await shown('de', slug)).toMatchObject({
      language: 'en',
      originalName: 'Stave Fixture',
    });
  });
});

describe('responses to one URL', () => {
  /** Requests that are sent to one URL, and what each of them must get. */
  const asked = () => {
    const { localized, plain } = bench();
    return [
      { token: localized, language: 'de', name: 'Nachtfähre', shown: 'de' },
      { token: plain, language: 'de', name: 'Night Ferry' },
      { token: localized, language: 'de-CH', name: 'Nachtschiff', shown: 'de-CH' },
      { token: localized, language: 'ja', name: 'Night Ferry', shown: 'en' },
    ];
  };

  it('are never shared by two languages, nor by clients with and without localization', async () => {
    const { server, localized } = bench();
    const all = asked();
    for (let i = 0; i < 200; i++) {
      const { token, language, name, shown } = all[(i * 7 + (i >> 3)) % all.length]!;
      const headers = { 'accept-language': language };
      const query = { search: 'night ferry', pageSize: 1 };
      const { data, headers: sent } = await server.call('listTracks', { token, query, headers });
      expect(data.items[0].name).toBe(name);
      expect('language' in data.items[0]).toBe(token === localized);
      expect(sent['content-language']).toBe(shown);
    }
  });

  it('are not shared compressed, and name what they vary by to other caches', async () => {
    const { server } = bench();
    const all = asked();
    for (let i = 0; i < 80; i++) {
      const { token, language, name, shown } = all[(i * 7 + (i >> 3)) % all.length]!;
      const { body, headers } = await server.http.send('GET', '/v1/tracks?search=night', {
        Authorization: `Bearer ${token}`,
        'Accept-Encoding': 'gzip',
        'Accept-Language': language,
      });
      expect(JSON.parse(gunzipSync(body).toString()).data.items[0].name).toBe(name);
      expect(headers['content-language']).toBe(shown);
      const varying = shown === undefined ? 'Accept-Encoding' : 'Accept-Encoding, Accept-Language';
      expect(headers.vary).toBe(varying);
      expect(headers['cache-control']).toBe('private, no-cache');
      // A validator that two languages share would let a cache show one as the other.
      expect(headers).not.toHaveProperty('etag');
    }
  });
});

describe('without localization', () => {
  it('no header and no member shows it', async () => {
    const { server, plain } = bench();
    const call = (headers: Record<string, string>) =>
      server.call('showTrack', { token: plain, params: FERRY, headers });
    const [german, none] = [await call({ 'accept-language': 'de' }), await call({})];
    expect(german.data).toEqual(none.data);
    expect(german.data).not.toHaveProperty('originalName');
    expect(german.headers).not.toHaveProperty('content-language');
    expect(german.headers.vary ?? '').not.toContain('Accept-Language');
  });

  it('the parameter is refused', async () => {
    const { server, plain } = bench();
    for (const language of ['de', 'xx_YY']) {
      const { status, error } = await server.call('listTracks', {
        token: plain,
        query: { language },
      });
      expect([status, error.type]).toEqual([403, 'feature_not_enabled']);
    }
    const body = { language: 'de' };
    const { error } = await server.call('searchTracks', { token: plain, body });
    expect(error.type).toBe('feature_not_enabled');
  });

  it('in its scopes, a token is refused the parameter, and gets the original', async () => {
    const { server } = bench();
    const client = await server.createClient({
      scopes: ['tracks', 'localization'],
      features: ['localization'],
    });
    const token = await client.token({ scope: 'tracks' });
    const { error } = await server.call('listTracks', { token, query: { language: 'de' } });
    expect(error.type).toBe('insufficient_scope');
    const headers = { 'accept-language': 'de' };
    const { data } = await server.call('showTrack', { token, params: FERRY, headers });
    expect(data.name).toBe('Night Ferry');
  });
});

describe('a search', () => {
  const slugs = async (query: { search: string; in?: string }, token = bench().localized) => {
    const { data } = await bench().server.call('listTracks', { token, query: { ...query } });
    return data.items.map(({ slug }: { slug: string }) => slug);
  };

  it.each<{ search: string; in?: string }>([
    { search: 'nachtfähre' },
    { search: 'nachtf' },
    { search: 'nachtschiff' },
    { search: 'klavier', in: 'tags' },
    { search: '夜渡' },
  ])('finds %j only with localization', async (query) => {
    const { plain } = bench();
    expect(await slugs(query)).toEqual(['night-ferry']);
    expect(await slugs(query, plain)).toEqual([]);
  });

  it('finds the same original names with localization and without', async () => {
    for (const search of ['night', 'ocean', 'ferr', 'beyonce', 'nihgt ferry']) {
      expect(await slugs({ search })).toEqual(await slugs({ search }, bench().plain));
    }
  });

  it('suggests the name that a text completes', async () => {
    const { server, localized, plain } = bench();
    const query = { q: 'nachtf' };
    const found = await server.call('suggest', { token: localized, query });
    expect(found.data.items).toEqual([{ kind: 'name', text: 'Nachtfähre' }]);
    const none = await server.call('suggest', { token: plain, query });
    expect(none.data.items).toEqual([]);
  });
});
