import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddingsService } from '../../src/features/briefs/embeddings/embeddings-service.test-support.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { fieldsOfRefusal } from './bad-input-support.ts';

const NEWEST = Date.UTC(2025, 5, 1);
const mood = (name: string) => ({ type: 'mood' as const, name });
const genre = (name: string) => ({ type: 'genre' as const, name });

/** The later a track, the older it is. What they have besides: */
const TRACKS: readonly Partial<TrackDelivery>[] = [
  { name: 'Zero', filters: [mood('Dark'), genre('Cinematic')], bpm: '90' },
  { name: 'One', filters: [mood('Dark')], bpm: '120', hasVocals: true },
  { name: 'Two', filters: [mood('Dark'), genre('Cinematic')], bpm: '95', hasVocals: true },
  { name: 'Three', filters: [genre('Jazz')], bpm: '90', durationSeconds: 100 },
  { name: 'Four', filters: [mood('Calm')], tags: ['detective'], bpm: '60' },
  { name: 'A Dark Alley', filters: [genre('Jazz')], bpm: '60' },
];

function trackOf(number: number): TrackDelivery {
  const values = { type: 'music' as const, hasVocals: false, tags: [], isrc: '' };
  return delivery(number, {
    ...values,
    releasedAt: NEWEST - number * 86_400_000,
    durationSeconds: 300,
    ...TRACKS[number],
  });
}

interface BriefData {
  totalRecords: number;
  items: { name: string; matched: number[] }[];
  brief: { understood: Record<string, unknown>[]; ignored: string[]; embeddings: string };
}

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS.map((_, i) => trackOf(i)) });
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(() => server?.close());

async function search(body: object, to = { server, token }) {
  const response = await to.server.call('searchTracks', { token: to.token, body });
  const data = response.data as BriefData;
  return { ...data, names: data.items.map(({ name }) => name), response };
}

describe('POST /v1/search with a brief', () => {
  it('ranks by what tracks have of it, and tells what that is', async () => {
    const found = await search({ brief: 'dark cinematic trailer' });
    expect(found.names.slice(0, 2)).toEqual(['Zero', 'Two']);
    expect(found.names.slice(2).sort()).toEqual(['A Dark Alley', 'One']);
    expect(found.totalRecords).toBe(4);
    expect(found.brief.understood).toMatchObject([
      { text: 'dark', kind: 'filter', filter: 'dark', weight: 1, hard: false },
      { text: 'cinematic', kind: 'filter', filter: 'cinematic', weight: 1, hard: false },
    ]);
    expect(found.items.map(({ matched }) => matched)).toEqual([[1, 0], [1, 0], [0], [0]]);
    expect(found.brief.embeddings).toBe('off');
  });

  it('excludes what it does not want, and has no link', async () => {
    const { names, brief, response } = await search({ brief: 'dark, no jazz, around 92 bpm' });
    expect(names).toEqual(['Zero', 'Two']);
    expect(brief.understood.map(({ kind, hard }) => [kind, hard])).toEqual([
      ['filter', false],
      ['not', true],
      ['tempo', true],
    ]);
    expect(response.headers.link).toBeUndefined();
    const paged = await search({ brief: 'dark', pageSize: 1 });
    expect(paged.response.headers.link).toBeUndefined();
  });

  it('that is all hard matches what meets it', async () => {
    const { names, items } = await search({ brief: 'under two minutes' });
    expect(names).toEqual(['Three']);
    expect(items[0]!.matched).toEqual([]);
  });

  it('of which nothing is understood matches nothing', async () => {
    const found = await search({ brief: 'xyzzy', facets: true });
    expect(found).toMatchObject({ totalRecords: 0, items: [], brief: { understood: [] } });
    expect(found.brief.ignored).toEqual(['xyzzy']);
  });

  it('combines with every other member, with exact totals, pages and facets', async () => {
    const body = { brief: 'dark', filterSlugs: ['cinematic'], facets: true, pageSize: 1 };
    const first = await search(body);
    const second = await search({ ...body, page: 2 });
    expect([...first.names, ...second.names]).toEqual(['Zero', 'Two']);
    expect(first).toMatchObject({
      totalRecords: 2,
      totalPages: 2,
      facets: { types: [{ type: 'music', trackCount: 2 }] },
    });
    expect((await search({ brief: 'dark', bpmMin: 110 })).names).toEqual(['One']);
    expect((await search({ brief: 'dark', filterSlugs: ['none'] })).totalRecords).toBe(0);
  });

  it('leaves out what it is told to ignore', async () => {
    const { brief, names } = await search({ brief: 'dark cinematic', ignore: ['Dark'] });
    expect(brief.understood.map(({ text }) => text)).toEqual(['cinematic']);
    expect(names).toEqual(['Zero', 'Two']);
  });

  it('gets the same response again', async () => {
    const body = { brief: 'dark jazz' };
    const [first, ...others] = [await search(body), await search(body), await search(body)];
    for (const { names, brief } of others) {
      expect({ names, brief }).toEqual({ names: first!.names, brief: first!.brief });
    }
  });

  it.each<[object, string[]]>([
    [{ brief: '' }, ['brief']],
    [{ brief: 'a'.repeat(1_001) }, ['brief']],
    [{ brief: 5 }, ['brief']],
    [{ brief: 'dark', query: 'night' }, ['query']],
    [{ brief: 'dark', sort: 'newest', query: '' }, ['query', 'sort']],
    [{ brief: 'dark', sort: 'relevance' }, ['sort']],
    [{ brief: 'dark', ignore: 'dark' }, ['ignore']],
    [{ brief: 'dark', ignore: Array(101).fill('dark') }, ['ignore']],
    [{ ignore: ['dark'] }, ['ignore']],
  ])('refuses %j', async (body, fields) => {
    expect(await fieldsOfRefusal(server, 'searchTracks', { token, body })).toEqual(fields);
  });

  it('cannot be saved', async () => {
    const body = { name: 'Dark', search: { brief: 'dark' } };
    const fields = await fieldsOfRefusal(server, 'createSavedSearch', { token, body });
    expect(fields).toEqual(['search.brief']);
  });
});

it('a brief of a list has no meaning', async () => {
  expect(await fieldsOfRefusal(server, 'listTracks', { token, query: { brief: 'dark' } })).toEqual([
    'brief',
  ]);
});

describe('with a service of embeddings', () => {
  it('what no vocabulary has is compared by meaning, unless the service fails', async () => {
    const service = await startEmbeddingsService((response) => response.writeHead(500).end());
    const embeddings = { setting: service.url, model: 'topics', key: 'sk-secret' };
    const own = await startTestServer({
      tracks: TRACKS.map((_, i) => trackOf(i)),
      config: { embeddings },
    });
    try {
      const to = { server: own, token: await (await own.createClient()).token() };
      const body = { brief: 'a knightly quoll' };
      for (let i = 0; i < 3; i++) {
        expect(await search(body, to)).toMatchObject({
          totalRecords: 0,
          brief: { embeddings: 'unavailable' },
        });
      }
      service.behave();
      let found!: Awaited<ReturnType<typeof search>>;
      // A busy machine may need more than the time of one request.
      await until(async () => {
        found = await search(body, to);
        return found.brief.embeddings === 'remote';
      });
      expect(found.brief).toMatchObject({
        understood: expect.arrayContaining([
          expect.objectContaining({ kind: 'filter', filter: 'dark', weight: 1, hard: false }),
        ]),
        ignored: [],
        embeddings: 'remote',
      });
      expect(found.names).toContain('Zero');
      const asked = service.asked.length;
      expect((await search({ ...body, pageSize: 1, page: 2 }, to)).names).toHaveLength(1);
      expect(service.asked.length).toBe(asked);
    } finally {
      await own.close();
    }
  });
});
