import { expect } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

const { id } = delivery(1);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

testEndpoint({
  operationId: 'signStreams',
  operation: 'POST /v1/tracks/stream-urls',
  access: { scope: 'tracks' },
  request: { body: { trackIds: [id, UNKNOWN] } },
  expectResponse({ data }) {
    expect(data.items.map(({ trackId }: { trackId: string }) => trackId)).toEqual([id]);
    expect(data.notFound).toEqual([UNKNOWN]);
  },
});
