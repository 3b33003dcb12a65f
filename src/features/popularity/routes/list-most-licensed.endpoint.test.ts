import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'listMostLicensed',
  operation: 'GET /v1/analytics/most-licensed',
  access: { scope: 'analytics' },
  request: {},
  expectResponse({ data }) {
    expect(data.totalRecords).toBe(0);
  },
});
