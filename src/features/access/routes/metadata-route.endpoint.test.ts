import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'readOAuthMetadata',
  operation: 'GET /.well-known/oauth-authorization-server',
  access: 'public',
  request: {},
  expectResponse({ body }, { server }) {
    expect(JSON.parse(body.toString()).issuer).toBe(server.address);
  },
});
