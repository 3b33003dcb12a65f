import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { newSavedSearch } from '../../../../test/harness/saved-searches.ts';

const access = { feature: 'saved-searches' };
const ANY_VERSION = { 'If-Match': '*' };

testEndpoint({
  operationId: 'createSavedSearch',
  operation: 'POST /v1/saved-searches',
  access,
  status: 201,
  request: ({ featured }) => ({
    token: featured,
    body: { name: `Calm ${crypto.randomUUID()}`, search: { filterSlugs: ['no-such-filter'] } },
  }),
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({
      search: { filterSlugs: ['no-such-filter'] },
      notify: false,
      totalRecords: 0,
      newCount: 0,
      version: 1,
    });
    expect(headers.location).toBe(`/v1/saved-searches/${data.id}`);
    expect(headers.etag).toBe('"1"');
  },
});

testEndpoint({
  operationId: 'listSavedSearches',
  operation: 'GET /v1/saved-searches',
  access,
  async request(context) {
    await newSavedSearch(context);
    return { token: context.featured };
  },
  expectResponse({ data }) {
    expect(data.items).toMatchObject([{ search: {}, totalRecords: 5, newCount: 0 }]);
  },
});

testEndpoint({
  operationId: 'showSavedSearch',
  operation: 'GET /v1/saved-searches/{id}',
  access,
  async request(context) {
    const id = await newSavedSearch(context, { query: 'ferry' });
    return { token: context.featured, params: { id } };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ search: { query: 'ferry' }, totalRecords: 1 });
    expect(headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' });
  },
});

testEndpoint({
  operationId: 'updateSavedSearch',
  operation: 'PATCH /v1/saved-searches/{id}',
  access,
  async request(context) {
    const params = { id: await newSavedSearch(context) };
    const body = { search: { query: 'ferry' }, notify: true };
    return { token: context.featured, params, headers: ANY_VERSION, body };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ search: { query: 'ferry' }, notify: true, version: 2 });
    expect(headers.etag).toBe('"2"');
  },
});

testEndpoint({
  operationId: 'deleteSavedSearch',
  operation: 'DELETE /v1/saved-searches/{id}',
  usesUp: true,
  access,
  async request(context) {
    const params = { id: await newSavedSearch(context) };
    return { token: context.featured, params, headers: ANY_VERSION };
  },
  expectResponse({ data }) {
    expect(data.deleted).toBe(true);
  },
});

testEndpoint({
  operationId: 'listSavedSearchTracks',
  operation: 'GET /v1/saved-searches/{id}/tracks',
  access,
  async request(context) {
    const id = await newSavedSearch(context, { query: 'ferry' });
    return { token: context.featured, params: { id }, query: { facets: true } };
  },
  expectResponse({ data }) {
    expect(data.items).toMatchObject([{ slug: 'night-ferry' }]);
    expect(data.facets.types).toEqual([{ type: 'music', trackCount: 1 }]);
  },
});

testEndpoint({
  operationId: 'markSavedSearchSeen',
  operation: 'POST /v1/saved-searches/{id}/seen',
  access,
  async request(context) {
    const params = { id: await newSavedSearch(context) };
    return { token: context.featured, params, body: { seq: 2 } };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ totalRecords: 5, newCount: 0, version: 1 });
    expect(headers.etag).toBe('"1"');
  },
});
