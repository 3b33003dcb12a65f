import { expect } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { newCollection } from '../../../../test/harness/collections.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

const access = { feature: 'saved-searches' };
const ANY_VERSION = { 'If-Match': '*' };

testEndpoint({
  operationId: 'createCollection',
  operation: 'POST /v1/collections',
  access,
  status: 201,
  request: ({ featured }) => ({
    token: featured,
    body: { name: 'Spring campaign', tracks: ['night-ferry', delivery(1).id] },
  }),
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ name: 'Spring campaign', trackCount: 2, owner: true, version: 1 });
    expect(headers.location).toBe(`/v1/collections/${data.id}`);
    expect(headers.etag).toBe('"1"');
  },
});

testEndpoint({
  operationId: 'listCollections',
  operation: 'GET /v1/collections',
  access,
  async request(context) {
    await newCollection(context);
    return { token: context.featured };
  },
  expectResponse({ data }) {
    expect(data.items).toMatchObject([{ name: 'Spring campaign' }]);
  },
});

testEndpoint({
  operationId: 'showCollection',
  operation: 'GET /v1/collections/{id}',
  access,
  async request(context) {
    return { token: context.featured, params: { id: await newCollection(context) } };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ name: 'Spring campaign', description: '', sharedWith: 0 });
    expect(headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' });
  },
});

testEndpoint({
  operationId: 'updateCollection',
  operation: 'PATCH /v1/collections/{id}',
  access,
  async request(context) {
    const params = { id: await newCollection(context) };
    return { token: context.featured, params, headers: ANY_VERSION, body: { name: 'Summer' } };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ name: 'Summer', version: 2 });
    expect(headers.etag).toBe('"2"');
  },
});

testEndpoint({
  operationId: 'deleteCollection',
  operation: 'DELETE /v1/collections/{id}',
  usesUp: true,
  access,
  async request(context) {
    const params = { id: await newCollection(context) };
    return { token: context.featured, params, headers: ANY_VERSION };
  },
  expectResponse({ data }) {
    expect(data.deleted).toBe(true);
  },
});

testEndpoint({
  operationId: 'listCollectionTracks',
  operation: 'GET /v1/collections/{id}/tracks',
  access,
  async request(context) {
    const id = await newCollection(context, { tracks: ['night-ferry'] });
    return { token: context.featured, params: { id } };
  },
  expectResponse({ data }) {
    expect(data.items).toMatchObject([{ position: 1, note: '', track: { slug: 'night-ferry' } }]);
  },
});
