import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'listFilters',
  operation: 'GET /v1/filters',
  access: { scope: 'filters' },
  request: {},
  expectResponse({ data }) {
    expect(data.items.map(({ slug }: { slug: string }) => slug)).toContain('ambient');
  },
});
