import { expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { SCOPES } from '../../../common/caller.ts';

testEndpoint({
  operationId: 'listTrackChanges',
  operation: 'GET /v1/tracks/changes',
  access: { feature: 'changes' },
  request: ({ featured }) => ({ token: featured, query: { since: '1970-01-01T00:00:00Z' } }),
  expectResponse({ data }) {
    const { items, hasMore, nextCursor, nextSince } = data;
    expect({ hasMore, nextCursor, nextSince }).toEqual({
      hasMore: false,
      nextCursor: expect.stringMatching(/^c1\.[\w-]{22}$/),
      nextSince: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    expect(items.map(({ type }: { type: string }) => type)).toEqual(Array(5).fill('track.created'));
    const [first] = items;
    expect(first).toMatchObject({
      trackId: delivery(0).id,
      version: first.seq,
      changedFields: [],
      batchId: 'harness',
      track: { id: delivery(0).id, name: 'Night Ferry', streamUrl: expect.any(String) },
    });
  },
  more(context) {
    it.each([true, false])(
      'has its members in the order of the contract, tracks=%s',
      async (tracks) => {
        const { server, featured: token } = context();
        const query = { since: '1970-01-01T00:00:00Z', tracks };
        const { data } = await server.call('listTrackChanges', { token, query });
        expect(Object.keys(data)).toEqual(['items', 'nextCursor', 'nextSince', 'hasMore']);
        expect(Object.keys(data.items[0])).toEqual([
          ...['seq', 'type', 'trackId', 'version', 'occurredAt', 'changedFields', 'batchId'],
          ...(tracks ? ['track'] : []),
        ]);
      },
    );

    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: [...SCOPES, 'changes'],
        features: ['changes'],
      });
      const query = { since: '1970-01-01T00:00:00Z' };
      for (const [scope, status] of [
        ['changes', 200],
        ['tracks', 403],
      ] as const) {
        const token = await client.token({ scope });
        expect((await server.call('listTrackChanges', { token, query })).status).toBe(status);
      }
    });
  },
});
