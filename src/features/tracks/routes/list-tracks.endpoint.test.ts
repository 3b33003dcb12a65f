import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'listTracks',
  operation: 'GET /v1/tracks',
  access: { scope: 'tracks' },
  request: {},
  expectResponse({ data }) {
    expect(data.totalRecords).toBe(5);
  },
});
