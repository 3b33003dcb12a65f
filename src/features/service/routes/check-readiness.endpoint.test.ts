import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'checkReadiness',
  operation: 'GET /readyz',
  access: 'public',
  request: {},
  expectResponse({ data }) {
    expect(data).toEqual({ apiVersion: 'v1', serviceVersion: expect.any(String) });
  },
});
