import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'listLanguages',
  operation: 'GET /v1/languages',
  access: { feature: 'localization' },
  request: ({ featured }) => ({ token: featured }),
  expectResponse({ data }) {
    expect(data).toEqual({ items: [], original: 'en' });
  },
});
