import { expect, it } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { SCOPES } from '../../../common/caller.ts';

testEndpoint({
  operationId: 'readMe',
  operation: 'GET /v1/me',
  access: 'any-token',
  request: {},
  expectResponse({ data }, { client }) {
    expect(data.clientId).toBe(client.clientId);
  },
  more(context) {
    it.each(SCOPES)('responds to a token with %s', async (scope) => {
      const { server, client } = context();
      const { data } = await server.call('readMe', { token: await client.token({ scope }) });
      expect(data.scopes).toEqual([scope]);
    });
  },
});
