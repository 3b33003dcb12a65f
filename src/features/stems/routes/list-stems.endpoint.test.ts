import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { usePartsServer } from '../../../../test/harness/parts-server.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { nameBasedId } from '../../../common/ids.ts';

const PART = { durationSeconds: 184, audioKey: `${'a'.repeat(64)}.wav`, sizeBytes: 32_457_600 };
const STEMS = [
  { ...PART, kind: 'drums', name: 'Drums' },
  { ...PART, kind: 'drums', name: null },
];
const VERSIONS = [
  { kind: 'cutdown', name: '30 seconds', durationSeconds: 30, audioKey: `${'b'.repeat(64)}.mp3` },
].map((one) => ({ ...one, sizeBytes: 480_000 }));

testEndpoint({
  operationId: 'listStems',
  operation: 'GET /v1/tracks/{slug}/stems',
  access: { feature: 'stems' },
  async request({ server, featured }) {
    await server.deliver([delivery(0, { stems: STEMS, versions: VERSIONS })]);
    return { token: featured, params: { slug: 'night-ferry' } };
  },
  more(context) {
    const list = async (slug: string, query = {}) => {
      const { server, featured } = context();
      return server.call('listStems', { token: featured, params: { slug }, query });
    };

    it('lists the parts in the order of their delivery, with signed URLs', async () => {
      const { server } = context();
      const { id } = delivery(0);
      const { data } = await list(id.toUpperCase());
      const partUrl = (name: string, extension: string) =>
        `${server.address}/media/part/${nameBasedId(id, name)}.${extension}?expires=1800&issued=`;
      expect(data).toEqual({
        trackId: id,
        stems: [1, 2].map((ordinal) => ({
          id: nameBasedId(id, `stem:drums:${ordinal}`),
          kind: 'drums',
          name: ordinal === 1 ? 'Drums' : null,
          durationSeconds: 184,
          format: 'wav',
          sizeBytes: 32_457_600,
          url: expect.stringContaining(partUrl(`stem:drums:${ordinal}`, 'wav')),
        })),
        versions: [
          {
            id: nameBasedId(id, 'version:cutdown:1'),
            kind: 'cutdown',
            name: '30 seconds',
            durationSeconds: 30,
            format: 'mp3',
            sizeBytes: 480_000,
            url: expect.stringContaining(partUrl('version:cutdown:1', 'mp3')),
          },
        ],
        archiveUrl: expect.stringMatching(/&mode=test&kind=archive&signature=[\w-]{22}$/),
        urlsExpireAt: expect.stringMatching(/^\d{4}-.*\.000Z$/),
      });
      expect(data.stems[0].url).toMatch(/&mode=test&kind=part&signature=[\w-]{22}$/);
      const left = Date.parse(data.urlsExpireAt) - server.clock.now();
      expect(left).toBeGreaterThan(1_790_000);
      expect(left).toBeLessThanOrEqual(1_810_000);
    });

    it('has two empty lists for a track without parts', async () => {
      expect((await list('sunrise')).data).toMatchObject({
        stems: [],
        versions: [],
        archiveUrl: null,
      });
    });

    it('is the same in both modes, except for the URLs', async () => {
      const { server } = context();
      const client = await server.createClient({ scopes: ['stems'], features: ['stems'] });
      const [test, live] = await Promise.all(
        (['test', 'live'] as const).map(async (mode) => {
          const token = await client.token({ mode });
          const params = { slug: 'night-ferry' };
          return (await server.call('listStems', { token, params })).body.toString();
        }),
      );
      const withoutUrls = (body: string) =>
        body.replace(/"(url|archiveUrl|urlsExpireAt)":"[^"]*"/g, '');
      expect(withoutUrls(live!)).toBe(withoutUrls(test!));
      expect(live).toContain('mode=live');
    });

    it('refuses every parameter', async () => {
      const { status, error } = await list('night-ferry', { page: 1 });
      expect([status, error.details]).toEqual([400, [expect.objectContaining({ field: 'page' })]]);
    });
  },
});

describe('the stems of a track', () => {
  const started = usePartsServer();

  it('are not found while the track is taken down, like those of no track', async () => {
    const { server, client } = started();
    const { store } = server.operator;
    const list = async (slug: string) => {
      const token = await client.token();
      const response = await server.call('listStems', { token, params: { slug } });
      return [response.status, response.error.message];
    };
    await setTrackState(store, delivery(0).id, 'taken_down', 'test:harness');
    const gone = await list('night-ferry');
    expect(gone[0]).toBe(404);
    expect(await list('no-such-track')).toEqual(gone);
    await setTrackState(store, delivery(0).id, 'live', 'test:harness');
    expect((await list('night-ferry'))[0]).toBe(200);
  });

  it('are no tracks: searches, lists and counts do not find them', async () => {
    const { server, client, stems } = started();
    const token = await client.token();
    const list = async (search?: string) =>
      (await server.call('listTracks', { token, query: search ? { search } : {} })).data;
    await server.until(async () => (await list()).totalRecords >= 2);
    const before = (await list()).totalRecords;
    await server.deliver([delivery(2), delivery(3, { stems: stems.slice(0, 3) })]);
    await server.until(async () => (await list()).totalRecords === before + 2);
    expect((await list('Kit')).totalRecords).toBe(0);
    expect((await list('drums')).items.map(({ id }: { id: string }) => id)).not.toContain(
      delivery(3).id,
    );
    expect((await server.operator.store.catalog.counts()).live).toBe(before + 2);
  });

  it('are in the feed as fields of an update', async () => {
    const { server, versions } = started();
    const client = await server.createClient({ scopes: ['changes'], features: ['changes'] });
    await server.deliver([delivery(1, { versions })]);
    const token = await client.token();
    const last = async () => {
      const { data } = await server.call('listTrackChanges', {
        token,
        query: { since: new Date(server.clock.now() - 60_000).toISOString(), limit: 100 },
      });
      return data.items.findLast(({ trackId }: { trackId: string }) => trackId === delivery(1).id);
    };
    await server.until(async () => (await last())?.type === 'track.updated');
    expect(await last()).toMatchObject({ changedFields: ['versions'] });
  });
});
