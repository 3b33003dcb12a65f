import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'suggest',
  operation: 'GET /v1/suggest',
  access: { scope: 'search' },
  request: { query: { q: 'sun' } },
  expectResponse({ data }) {
    expect(data.items).toContainEqual({ kind: 'name', text: 'Sunrise' });
  },
});
