import { expect } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { newCollection } from '../../../../test/harness/collections.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';

const access = { feature: 'saved-searches' };
const ANY_VERSION = { 'If-Match': '*' };

const onCollection = async (context: EndpointContext) => ({
  token: context.featured,
  params: { id: await newCollection(context, { tracks: ['night-ferry'] }) },
});

testEndpoint({
  operationId: 'addCollectionItems',
  operation: 'POST /v1/collections/{id}/items',
  access,
  request: async (context) => ({
    ...(await onCollection(context)),
    body: { items: [{ track: delivery(1).id, note: 'for the end' }, { track: 'no-such-track' }] },
  }),
  expectResponse({ data }) {
    const added = [delivery(1).id];
    expect(data).toEqual({ added, alreadyPresent: [], notFound: ['no-such-track'], version: 2 });
  },
});

testEndpoint({
  operationId: 'removeCollectionItems',
  operation: 'POST /v1/collections/{id}/items/remove',
  access,
  request: async (context) => ({
    ...(await onCollection(context)),
    body: { tracks: ['Night-Ferry', delivery(1).id] },
  }),
  expectResponse({ data }) {
    expect(data).toEqual({
      removed: [delivery(0).id],
      notPresent: [delivery(1).id],
      version: 2,
    });
  },
});

testEndpoint({
  operationId: 'replaceCollectionItems',
  operation: 'PUT /v1/collections/{id}/items',
  access,
  request: async (context) => ({
    ...(await onCollection(context)),
    headers: ANY_VERSION,
    body: { items: [{ track: delivery(1).id }, { track: delivery(2).id, note: 'last' }] },
  }),
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ trackCount: 2, version: 2 });
    expect(headers.etag).toBe('"2"');
  },
});

testEndpoint({
  operationId: 'updateCollectionItem',
  operation: 'PATCH /v1/collections/{id}/items/{trackId}',
  access,
  async request(context) {
    const { token, params } = await onCollection(context);
    return {
      token,
      params: { ...params, trackId: delivery(0).id },
      headers: ANY_VERSION,
      body: { note: 'first', position: 1 },
    };
  },
  expectResponse({ data }) {
    expect(data).toMatchObject({ trackCount: 1, version: 2 });
  },
});
