import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'createToken',
  operation: 'POST /v1/auth/token',
  access: 'public',
  request: ({ client: { clientId, testSecret } }) => ({
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: testSecret },
  }),
  expectResponse({ data }) {
    expect(data).toMatchObject({ token_type: 'Bearer', mode: 'test' });
  },
});
