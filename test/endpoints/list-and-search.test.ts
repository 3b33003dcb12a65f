import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRACK_SORTS } from '../../src/engines/search/catalog-index.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const TRACKS = deliveries(65);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  const client = await server.createClient();
  token = await client.token();
});
afterAll(() => server?.close());

const list = async (query: Record<string, string | number | boolean | string[]> | string = {}) =>
  (await server.call('listTracks', { query, token })).data;
const search = async (body: object) => (await server.call('searchTracks', { body, token })).data;
const idsOf = (page: { items: { id: string }[] }) => page.items.map((item) => item.id);

/**
 * The ids of the deliveries for which `holds` is true, in the order of docs/contract/search.md#order: newest release,
 * then id.
 */
const expected = (holds: (track: TrackDelivery) => boolean) =>
  TRACKS.filter(holds)
    .sort((a, b) => b.releasedAt! - a.releasedAt! || (a.id < b.id ? -1 : 1))
    .map((track) => track.id);
const carries = (track: TrackDelivery, name: string) =>
  track.filters.some((filter) => filter.name === name);

describe('GET /v1/tracks', () => {
  it('returns the first 20 of all tracks, newest first, without a query', async () => {
    const page = await list();
    expect(page).toMatchObject({
      totalRecords: 65,
      totalPages: 4,
      currentPage: 1,
      pageSize: 20,
    });
    expect(idsOf(page)).toEqual(expected(() => true).slice(0, 20));
  });

  it('returns tracks as in the contract', async () => {
    const { items } = await list({ isrc: 'QZES72400000' });
    expect(items).toHaveLength(1);
    const { artworkUrl, streamUrl, streamUrlExpiresAt, artists, filters, ...rest } = items[0];
    expect(rest).toEqual({
      id: TRACKS[0]!.id,
      name: 'Night Ferry',
      slug: 'night-ferry',
      type: 'music',
      bpm: '70',
      songKey: ['A minor'],
      timeSignature: '4/4',
      durationSeconds: 1,
      region: 'WORLD',
      releaseDate: '2025-06-01T00:00:00.000Z',
      hasVocals: true,
      vocals: 'vocal',
      isPRO: true,
      tags: ['demo', 'n0'],
      isrc: 'QZES72400000',
      audio: null,
      hasAudio: false,
      stream: null,
      detected: [],
      provenance: { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null },
    });
    expect(artists).toEqual([
      { id: expect.any(String), name: 'Artist 0', role: 'MAIN_ARTIST', isPrimary: true },
    ]);
    expect(filters.map((filter: { slug: string }) => filter.slug).sort()).toEqual([
      'advertising',
      'ambient',
      'calm',
    ]);
    expect(artworkUrl.startsWith(`${server.address}/media/artwork/`)).toBe(true);
    const url = new URL(streamUrl);
    expect(url.origin).toBe(server.address);
    expect(url.searchParams.get('expires')).toBe('1800');
    expect(url.searchParams.get('signature')).toBeTruthy();
    const livesFor = Date.parse(streamUrlExpiresAt) - server.clock.now();
    expect(livesFor).toBeGreaterThan(1_795_000);
    expect(livesFor).toBeLessThanOrEqual(1_810_000);
  });

  it.each([
    ['type', { type: 'sfx' }, (t: TrackDelivery) => t.type === 'sfx'],
    ['hasVocals=true', { hasVocals: true }, (t: TrackDelivery) => t.hasVocals],
    ['hasVocals=false', { hasVocals: false }, (t: TrackDelivery) => !t.hasVocals],
    ['one filter', { filterSlugs: ['ambient'] }, (t: TrackDelivery) => carries(t, 'Ambient')],
    [
      'all of several filters',
      { filterSlugs: ['ambient', 'calm', 'advertising'] },
      (t: TrackDelivery) => ['Ambient', 'Calm', 'Advertising'].every((name) => carries(t, name)),
    ],
    [
      'everything at once',
      { filterSlugs: ['calm'], type: 'music', hasVocals: true },
      (t: TrackDelivery) => carries(t, 'Calm') && t.type === 'music' && t.hasVocals,
    ],
    ['filters that exclude each other', { filterSlugs: ['ambient', 'drum-bass'] }, () => false],
    ['a filter that nobody has', { filterSlugs: ['no-such-filter'] }, () => false],
    ['an id that nobody has', { filterIds: ['00000000-0000-4000-8000-000000000000'] }, () => false],
    ['an empty text and empty lists', 'search=&filterIds=&filterSlugs=', () => true],
    ['cache busters and campaigns', '_=1&_=2&__proto__=3&utm_source=%zz&', () => true],
  ])('restricts by %s', async (_, query, holds) => {
    const joiner =
      typeof query === 'string' ? `${query}&pageSize=100` : { ...query, pageSize: 100 };
    const page = await list(joiner as never);
    const ids = expected(holds as never);
    expect(idsOf(page)).toEqual(ids);
    expect(page.totalRecords).toBe(ids.length);
    expect(page.totalPages).toBe(ids.length === 0 ? 0 : 1);
  });

  it('accepts filter ids in either case, and ids together with slugs', async () => {
    const { data } = await server.call('listFilters', { token });
    const calm = data.items.find((filter: { slug: string }) => filter.slug === 'calm');
    const page = await list({
      filterIds: [calm.id.toUpperCase(), calm.id],
      filterSlugs: ['ambient'],
      pageSize: 100,
    });
    expect(idsOf(page)).toEqual(expected((t) => carries(t, 'Calm') && carries(t, 'Ambient')));
  });

  it.each([
    ['beyonce', 'Beyoncé on the Radio'],
    ['BEYONCÉ'.normalize('NFD'), 'Beyoncé on the Radio'],
    ['radio beyo', 'Beyoncé on the Radio'],
    ['dont look', 'Don’t Look Back'],
    ['夜の', '夜の海'],
    ['uber den wolken', 'Über den Wolken'],
    ['rise', 'Sunrise'],
    ['thundr', 'Thunder Rolling'],
  ])('finds “%s”', async (text, name) => {
    const { items } = await list({ search: text });
    expect(items[0].name).toBe(name);
  });

  it('ranks an equal name before a prefix, a whole word and an inner word', async () => {
    const { items } = await list({ search: 'ocean' });
    const names = [...new Set(items.map((item: { name: string }) => item.name))];
    expect(names).toEqual(['Ocean', 'Ocean Drive', 'The Ocean at Night']);
  });

  it.each(['%', '_', '\\', "'", '"', '*', '🎵', 'שלום', '%00'.slice(0, 1), '.* ', 'a'.repeat(200)])(
    'treats “%s” like any other text',
    async (text) => {
      expect((await list({ search: text })).items).toBeInstanceOf(Array);
    },
  );

  it('is empty after the last page, however far', async () => {
    for (const page of [5, 1_000_000, 2_147_483_647]) {
      expect(await list({ page })).toMatchObject({
        totalRecords: 65,
        totalPages: 4,
        currentPage: page,
        items: [],
      });
    }
  });

  it.each([1, 7, 20, 64, 65, 100])(
    'returns pages of %i without gap or overlap',
    async (pageSize) => {
      const ids: string[] = [];
      const { totalPages } = await list({ pageSize });
      expect(totalPages).toBe(Math.ceil(65 / pageSize));
      for (let page = 1; page <= totalPages; page++) {
        ids.push(...idsOf(await list({ page, pageSize })));
      }
      expect(ids).toEqual(expected(() => true));
    },
  );

  it('returns the pages of a text search without gap or overlap', async () => {
    const whole = idsOf(await list({ search: 'o', pageSize: 100 }));
    const ids: string[] = [];
    for (let page = 1; ids.length < whole.length; page++) {
      const next = idsOf(await list({ search: 'o', page, pageSize: 3 }));
      expect(next.length).toBeGreaterThan(0);
      ids.push(...next);
    }
    expect(ids).toEqual(whole);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('responds to HEAD with the headers of GET and no body', async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const get = await server.http.send('GET', '/v1/tracks?pageSize=1', headers);
    const head = await server.http.send('HEAD', '/v1/tracks?pageSize=1', headers);
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('POST /v1/search', () => {
  it('returns all tracks for an empty object', async () => {
    expect(await search({})).toMatchObject({ totalRecords: 65, currentPage: 1, pageSize: 20 });
  });

  const questions = fc.record(
    {
      text: fc.constantFrom(
        '',
        'ocean',
        'nigh',
        'rise',
        'ocaen',
        'the o',
        '夜',
        'zzz',
        "don't",
        'artist 1',
        'demo',
      ),
      in: fc.subarray(['name', 'artists', 'tags']),
      type: fc.constantFrom('music', 'sfx'),
      hasVocals: fc.boolean(),
      filterSlugs: fc.subarray(['ambient', 'advertising', 'unknown'], { maxLength: 2 }),
      anyFilterSlugs: fc.subarray(['ambient', 'advertising', 'drum-bass', 'unknown']),
      notFilterSlugs: fc.subarray(['calm', 'unheard-of']),
      songKey: fc.constantFrom('', 'A minor', 'a MINOR', 'C major'),
      bpmMin: fc.constantFrom(0, 70, 99.5, 120),
      bpmMax: fc.constantFrom(120, 128.25, 1000),
      durationMin: fc.integer({ min: 0, max: 150 }),
      durationMax: fc.integer({ min: 150, max: 400 }),
      releasedFrom: fc.constantFrom('2025-05-20', '2025-05-25T00:00:00Z', '1970-01-01'),
      releasedTo: fc.constantFrom('2025-05-25', '2025-05-31T00:00:00.000Z', '2030-01-01'),
      sort: fc.constantFrom(...TRACK_SORTS),
      facets: fc.boolean(),
      page: fc.integer({ min: 1, max: 4 }),
      pageSize: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: [] },
  );

  it('returns the same data as the list for the same query, except for the signed URLs', async () => {
    await fc.assert(
      fc.asyncProperty(questions, async ({ text, ...rest }) => {
        const listed = await list({
          ...rest,
          ...(text !== undefined && { search: text }),
        } as never);
        const found = await search({ ...rest, ...(text !== undefined && { query: text }) });
        expect(unsigned(found)).toEqual(unsigned(listed));
      }),
      { numRuns: 120 },
    );
  });
});

/** Returns a page without the parts that may differ between equal queries. */
function unsigned(page: { items: object[] }) {
  return {
    ...page,
    items: page.items.map((item) => ({ ...item, streamUrl: '', streamUrlExpiresAt: '' })),
  };
}
