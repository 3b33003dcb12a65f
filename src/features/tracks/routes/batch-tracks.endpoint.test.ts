import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'batchTracks',
  operation: 'POST /v1/tracks/batch',
  access: { scope: 'tracks' },
  request: { body: { tracks: ['sunrise', 'no-such-track'] } },
  expectResponse({ data }) {
    expect(data.items.map(({ name }: { name: string }) => name)).toEqual(['Sunrise']);
    expect(data.notFound).toEqual(['no-such-track']);
  },
});
