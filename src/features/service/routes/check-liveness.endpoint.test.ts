import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'checkLiveness',
  operation: 'GET /livez',
  access: 'public',
  request: {},
  expectResponse({ data }) {
    expect(data).toEqual({ apiVersion: 'v1', serviceVersion: expect.any(String) });
  },
});
