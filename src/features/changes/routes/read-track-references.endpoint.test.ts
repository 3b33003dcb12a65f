import { expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { SCOPES } from '../../../common/caller.ts';

testEndpoint({
  operationId: 'readTrackReferences',
  operation: 'GET /v1/tracks/{slug}/references',
  access: { feature: 'changes' },
  request: ({ featured }) => ({ token: featured, params: { slug: 'night-ferry' } }),
  expectResponse({ data }) {
    expect(data).toEqual({
      trackId: delivery(0).id,
      state: 'live',
      since: null,
      playlists: [],
      collections: [],
      licenses: [],
      usage: { events: 0, lastOccurredAt: null },
      truncated: false,
    });
  },
  more(context) {
    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: [...SCOPES, 'changes'],
        features: ['changes'],
      });
      const params = { slug: 'night-ferry' };
      for (const [scope, status] of [
        ['changes', 200],
        ['tracks', 403],
      ] as const) {
        const token = await client.token({ scope });
        expect((await server.call('readTrackReferences', { token, params })).status).toBe(status);
      }
    });
  },
});
