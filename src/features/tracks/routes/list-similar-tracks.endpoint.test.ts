import { expect, it } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

const ITEM = {
  score: expect.any(Number),
  reasons: { genre: expect.any(Number), key: expect.any(Boolean) },
  track: { id: expect.any(String), streamUrl: expect.any(String) },
};

testEndpoint({
  operationId: 'listSimilarTracks',
  operation: 'GET /v1/tracks/{slug}/similar',
  access: { feature: 'similar' },
  request: ({ featured }) => ({ token: featured, params: { slug: 'night-ferry' } }),
  more(context) {
    const call = async (query: Record<string, string | number | boolean | string[]>) => {
      const { server, featured } = context();
      const params = { slug: 'night-ferry' };
      return server.call('listSimilarTracks', { token: featured, params, query });
    };

    it('returns the most similar tracks with the reasons', async () => {
      const { status, data } = await call({});
      expect(status).toBe(200);
      expect(data.items.length).toBeGreaterThan(0);
      for (const item of data.items) expect(item).toMatchObject(ITEM);
    });

    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: ['tracks', 'similar'],
        features: ['similar'],
      });
      const params = { slug: 'night-ferry' };
      const statusWith = async (scope: 'tracks' | 'similar') => {
        const token = await client.token({ scope });
        return (await server.call('listSimilarTracks', { token, params })).status;
      };
      expect(await statusWith('similar')).toBe(200);
      expect(await statusWith('tracks')).toBe(403);
    });

    it.each([
      ['limit', 0],
      ['limit', 101],
      ['bpmRange', 0],
      ['bpmRange', 101],
      ['bpmRange', 1.5],
      ['hasVocals', 1],
      ['type', 'song'],
      ['page', 1],
      ['language', 'xx_YY'],
    ])('refuses %s=%s', async (field, value) => {
      const { status, error } = await call({ [field]: value });
      expect(status).toBe(400);
      expect(error.details).toEqual([expect.objectContaining({ field })]);
    });

    it('names an unknown filter, which matches nothing', async () => {
      const { status, data } = await call({ filterSlugs: ['clam'] });
      expect(status).toBe(200);
      expect(data).toEqual({
        items: [],
        warnings: [expect.objectContaining({ field: 'filterSlugs' })],
      });
    });
  },
});
