import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'showTrack',
  operation: 'GET /v1/tracks/{slug}',
  access: { scope: 'tracks' },
  request: { params: { slug: 'sunrise' } },
  expectResponse({ data }) {
    expect(data.name).toBe('Sunrise');
  },
});
