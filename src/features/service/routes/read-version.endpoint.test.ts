import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'readVersion',
  operation: 'GET /version',
  access: 'public',
  request: {},
  expectResponse({ data }) {
    expect(data).toEqual({ apiVersion: 'v1', serviceVersion: expect.any(String) });
  },
});
