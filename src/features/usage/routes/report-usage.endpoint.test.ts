import { expect, it } from 'vitest';
import { deliveries } from '../../../../test/harness/catalog.ts';
import type { EndpointContext } from '../../../../test/harness/endpoint.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

const TRACK_ID = deliveries(1)[0]!.id;

const event = (eventId: string, { clock }: EndpointContext['server'], members: object = {}) => ({
  eventId,
  type: 'stream',
  trackId: TRACK_ID,
  occurredAt: new Date(clock.now() - 60_000).toISOString(),
  seconds: 42,
  ...members,
});

testEndpoint({
  operationId: 'reportUsage',
  operation: 'POST /v1/usage',
  access: { feature: 'usage' },
  request: ({ server, featured }) => ({
    token: featured,
    body: { events: [event('first', server)] },
  }),
  expectResponse({ data }) {
    expect(data).toMatchObject({ received: 1, accepted: 1, duplicates: 0, rejected: 0 });
  },
  more(context) {
    const call = async (...events: unknown[]) => {
      const { server, featured } = context();
      return server.call('reportUsage', { token: featured, body: { events } });
    };

    it('returns what became of each event', async () => {
      const { server } = context();
      const first = event('a', server, { country: 'DE', offline: true });
      const sent = [
        first,
        event('b', server, { trackId: '00000000-0000-4000-8000-000000000000' }),
        { ...first, trackId: TRACK_ID.toUpperCase() },
      ];
      const { status, data } = await call(...sent);
      expect(status).toBe(200);
      expect(data).toEqual({
        batchId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        received: 3,
        accepted: 1,
        duplicates: 1,
        rejected: 1,
        results: [
          { index: 0, eventId: 'a', status: 'accepted', takenDown: false },
          {
            index: 1,
            eventId: 'b',
            status: 'rejected',
            reason: 'unknown_track',
            message: 'there is no track of this trackId',
          },
          { index: 2, eventId: 'a', status: 'duplicate' },
        ],
      });
    });

    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: ['tracks', 'usage'],
        features: ['usage'],
      });
      const statusWith = async (scope: 'tracks' | 'usage') => {
        const body = { events: [event('a', server)] };
        return (await server.call('reportUsage', { token: await client.token({ scope }), body }))
          .status;
      };
      expect(await statusWith('usage')).toBe(200);
      expect(await statusWith('tracks')).toBe(403);
    });
  },
});
