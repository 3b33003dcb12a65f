import { expect } from 'vitest';
import { newCollection } from '../../../../test/harness/collections.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { updateClient } from '../../access/clients.ts';

const access = { feature: 'saved-searches' };

/** A collection, and the id of another client of the account. */
async function shareable(context: EndpointContext) {
  const { server, featured, featuredClientId, client } = context;
  const { store } = server.operator;
  for (const clientId of [featuredClientId, client.clientId]) {
    const deps = { store, clock: server.clock, by: 'test:harness' } as const;
    await updateClient(deps, clientId, { account: 'Acme' });
  }
  const id = await newCollection(context);
  return { token: featured, params: { id, clientId: client.clientId } };
}

async function shared(context: EndpointContext) {
  const request = await shareable(context);
  await context.server.call('shareCollection', { ...request, body: {} });
  return request;
}

testEndpoint({
  operationId: 'shareCollection',
  operation: 'PUT /v1/collections/{id}/shares/{clientId}',
  access,
  request: async (context) => ({ ...(await shareable(context)), body: {} }),
  expectResponse({ data }, { client, request }) {
    expect(data).toEqual({ collectionId: request.params!.id, clientId: client.clientId });
  },
});

testEndpoint({
  operationId: 'unshareCollection',
  operation: 'DELETE /v1/collections/{id}/shares/{clientId}',
  usesUp: true,
  access,
  request: shared,
  expectResponse({ data }, { client }) {
    expect(data).toEqual({ id: client.clientId, deleted: true });
  },
});

testEndpoint({
  operationId: 'listCollectionShares',
  operation: 'GET /v1/collections/{id}/shares',
  access,
  request: shared,
  expectResponse({ data }, { client }) {
    expect(data.items).toEqual([{ clientId: client.clientId, name: 'Test client', canRead: true }]);
  },
});
