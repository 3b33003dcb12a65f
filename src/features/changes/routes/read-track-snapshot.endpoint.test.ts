import { expect, it } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { SCOPES } from '../../../common/caller.ts';

testEndpoint({
  operationId: 'readTrackSnapshot',
  operation: 'GET /v1/tracks/snapshot',
  access: { feature: 'changes' },
  request: ({ featured }) => ({ token: featured }),
  expectResponse({ headers, body }) {
    expect(headers['content-type']).toBe('application/x-ndjson');
    const types = body.toString().trimEnd().split('\n');
    expect(types.map((line) => JSON.parse(line).type)).toEqual([
      'snapshot',
      ...Array(5).fill('track'),
      'end',
    ]);
  },
  more(context) {
    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: [...SCOPES, 'changes'],
        features: ['changes'],
      });
      for (const [scope, status] of [
        ['changes', 200],
        ['tracks', 403],
      ] as const) {
        const token = await client.token({ scope });
        expect((await server.call('readTrackSnapshot', { token })).status).toBe(status);
      }
    });

    it.each([
      ['resume', 'r1.AAAA'],
      ['resume', 'c1.AAAAAAAAAAAAAAAAAAAAAA'],
      ['cursor', 'c1.AAAAAAAAAAAAAAAAAAAAAA'],
      ['language', 'xx_YY'],
      ['page', 1],
    ])('refuses %s=%s', async (field, value) => {
      const { server, featured } = context();
      const { status, error } = await server.call('readTrackSnapshot', {
        token: featured,
        query: { [field]: value },
      });
      expect(status).toBe(400);
      expect(error.details).toEqual([expect.objectContaining({ field })]);
    });

    it('refuses a repeated parameter', async () => {
      const { server, featured } = context();
      const query = 'resume=a&resume=b';
      const { status, error } = await server.call('readTrackSnapshot', { token: featured, query });
      expect(status).toBe(400);
      expect(error.details).toEqual([expect.objectContaining({ field: 'resume' })]);
    });

    it('answers HEAD without a body', async () => {
      const { server, featured } = context();
      const headers = { Authorization: `Bearer ${featured}` };
      const head = await server.http.send('HEAD', '/v1/tracks/snapshot', headers);
      expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
      expect(head.headers['content-type']).toBe('application/x-ndjson');
    });
  },
});
