import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const NOBODYS = '00000000-0000-4000-8000-00000000ABCD';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(10) });
  token = await (await server.createClient()).token();
});
afterAll(() => server?.close());

const list = async (query: object) =>
  (await server.call('listTracks', { token, query: query as never })).data;
const slugWarning = (slug: string, meant?: string) => ({
  field: 'filterSlugs',
  message: `no filter has the slug ${slug}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
});

describe('warnings', () => {
  it('name unknown filters, ids first, with the nearest slug, in both operations', async () => {
    const question = { filterIds: [NOBODYS], filterSlugs: ['calm', 'clam', 'zzzzzzzz', 'clam'] };
    const listed = await list({ ...question, facets: true });
    expect(listed).toMatchObject({ totalRecords: 0, totalPages: 0, items: [] });
    expect(listed.warnings).toEqual([
      { field: 'filterIds', message: `no filter has the id ${NOBODYS.toLowerCase()}` },
      slugWarning('clam', 'calm'),
      slugWarning('zzzzzzzz'),
    ]);
    const found = await server.call('searchTracks', { token, body: { ...question, facets: true } });
    expect(found.data).toEqual(listed);
  });

  it('are absent if every filter exists, or none is given', async () => {
    for (const query of [{}, { filterSlugs: [] }, { filterSlugs: ['calm'] }]) {
      expect(await list(query)).not.toHaveProperty('warnings');
    }
  });

  it('name the keys that no track has, if nothing matches', async () => {
    const warned = async (songKey: string, others = {}) =>
      (await list({ songKey, ...others })).warnings;
    const warning = (key: string) => ({ field: 'songKey', message: `no track has the key ${key}` });
    expect(await warned('Am')).toBeUndefined();
    expect(await warned('F#m')).toEqual([warning('F#m')]);
    expect(await warned('11A,B-Dur')).toEqual([warning('11A'), warning('B-Dur')]);
    expect(await warned('a MINOR,F#m')).toBeUndefined();
    expect(await warned('a MINOR', { bpmMin: 999 })).toBeUndefined();
    expect(await warned('')).toBeUndefined();
  });

  it('name a language in which no text is, but not a longer form of one that there is', async () => {
    const other = await (
      await server.createClient({ features: ['localization', 'similar'] })
    ).token();
    const warned = async (operation: string, options: object) =>
      (await server.call(operation, { token: other, ...options })).data.warnings;
    const message = 'no text is in xx; GET /v1/languages lists the languages: en';
    const warnings = [{ field: 'language', message }];
    expect(await warned('listTracks', { query: { language: 'xx' } })).toEqual(warnings);
    expect(await warned('searchTracks', { body: { language: 'xx' } })).toEqual(warnings);
    expect(await warned('listMostLicensed', { query: { language: 'xx' } })).toEqual(warnings);
    const similar = { params: { slug: delivery(1).id }, query: { language: 'xx' } };
    expect(await warned('listSimilarTracks', similar)).toEqual(warnings);
    expect(await warned('listTracks', { query: { language: 'en-GB' } })).toBeUndefined();
  });

  it('are also in the most licensed tracks', async () => {
    const query = { filterSlugs: ['clam'] };
    const { data } = await server.call('listMostLicensed', { token, query });
    expect(data).toMatchObject({ totalRecords: 0, warnings: [slugWarning('clam', 'calm')] });
    const known = await server.call('listMostLicensed', {
      token,
      query: { filterSlugs: ['calm'] },
    });
    expect(known.data).not.toHaveProperty('warnings');
  });

  it('shorten long slugs, up to the maximum number of filters', async () => {
    const slugs = Array.from({ length: 50 }, (_, i) => `no-such-filter-${i}-${'a'.repeat(100)}`);
    const { warnings } = await list({ filterSlugs: slugs });
    expect(warnings).toHaveLength(50);
    expect(warnings[0].message).toBe(`no filter has the slug ${slugs[0]!.slice(0, 60)}…`);
  });

  it('end as soon as the filter exists, also in cached responses', async () => {
    const query = { filterSlugs: ['brand-new'] };
    // A response is cached when the same query comes for the second time.
    for (let i = 0; i < 3; i++) {
      expect((await list(query)).warnings).toEqual([slugWarning('brand-new')]);
    }
    await server.deliver([delivery(11, { filters: [{ type: 'mood', name: 'Brand New' }] })]);
    await server.until(async () => (await list(query)).totalRecords === 1);
    expect(await list(query)).not.toHaveProperty('warnings');
  });
});
