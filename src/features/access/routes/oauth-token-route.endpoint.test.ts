import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'createOAuthToken',
  operation: 'POST /oauth/token',
  access: 'public',
  // A form: RFC 6749, section 4.4.2.
  request: ({ client: { clientId, testSecret } }) => ({
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: testSecret,
    }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }),
  expectResponse({ body }) {
    expect(JSON.parse(body.toString())).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  },
});
