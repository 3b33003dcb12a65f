import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'searchTracks',
  operation: 'POST /v1/search',
  access: { scope: 'search' },
  request: { body: {} },
  expectResponse({ data }) {
    expect(data.totalRecords).toBe(5);
  },
});
