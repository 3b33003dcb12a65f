import { expect } from 'vitest';
import { newCollection, newComment, newLink } from '../../../../test/harness/collections.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';

const access = { feature: 'saved-searches' };

/** Returns a request for a new link. */
const ofLink = async (context: EndpointContext) => {
  const { id, linkId } = await newLink(context);
  return { token: context.featured, params: { id, linkId } };
};
const ofEditedLink = async (context: EndpointContext) => ({
  ...(await ofLink(context)),
  headers: { 'If-Match': '*' },
});

testEndpoint({
  operationId: 'createCollectionLink',
  operation: 'POST /v1/collections/{id}/links',
  access,
  status: 201,
  request: async (context) => ({
    token: context.featured,
    params: { id: await newCollection(context) },
    body: { label: 'For the agency', streams: 'preview', comments: false },
  }),
  expectResponse({ data, headers }, { request }) {
    const { id, url, createdAt, expiresAt, ...rest } = data;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/[0-9A-Za-z]{22}$/);
    const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(30, 4);
    expect(rest).toEqual({
      ...{ version: 1, label: 'For the agency', endedAt: null, hasPassword: false },
      ...{ streams: 'preview', comments: false, updatedAt: createdAt },
      ...{ by: { type: 'client', name: 'Test client' }, opens: 0, plays: 0, lastOpenedAt: null },
    });
    expect(headers.location).toBe(`/v1/collections/${request.params!.id}/links/${id}`);
    expect(headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' });
  },
});

testEndpoint({
  operationId: 'listCollectionLinks',
  operation: 'GET /v1/collections/{id}/links',
  access,
  request: async (context) => {
    const { params, token } = await ofLink(context);
    return { token, params: { id: params.id } };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ totalRecords: 1, currentPage: 1, items: [{ version: 1 }] });
    expect(headers['cache-control']).toBe('no-store');
  },
});

testEndpoint({
  operationId: 'showCollectionLink',
  operation: 'GET /v1/collections/{id}/links/{linkId}',
  access,
  request: ofLink,
  expectResponse({ data, headers }, { request }) {
    expect(data.id).toBe(request.params!.linkId);
    expect(headers.etag).toBe('"1"');
  },
});

testEndpoint({
  operationId: 'updateCollectionLink',
  operation: 'PATCH /v1/collections/{id}/links/{linkId}',
  access,
  usesUp: true,
  request: async (context) => ({ ...(await ofEditedLink(context)), body: { label: 'New' } }),
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ label: 'New', version: 2, streams: 'full' });
    expect(headers.etag).toBe('"2"');
  },
});

testEndpoint({
  operationId: 'deleteCollectionLink',
  operation: 'DELETE /v1/collections/{id}/links/{linkId}',
  access,
  usesUp: true,
  request: ofEditedLink,
  expectResponse({ data }, { request }) {
    expect(data).toEqual({ id: request.params!.linkId, deleted: true });
  },
});

testEndpoint({
  operationId: 'listLinkComments',
  operation: 'GET /v1/collections/{id}/links/{linkId}/comments',
  access,
  request: async (context) => {
    const { id, linkId } = await newComment(context);
    return { token: context.featured, params: { id, linkId } };
  },
  expectResponse({ data }) {
    const { id: _, trackId: __, createdAt: ___, ...comment } = data.items[0];
    expect(comment).toEqual({ name: 'Ana', text: 'Could work' });
  },
});

testEndpoint({
  operationId: 'deleteLinkComment',
  operation: 'DELETE /v1/collections/{id}/links/{linkId}/comments/{commentId}',
  access,
  usesUp: true,
  request: async (context) => {
    const { id, linkId, commentId } = await newComment(context);
    return { token: context.featured, params: { id, linkId, commentId } };
  },
  expectResponse({ data }, { request }) {
    expect(data).toEqual({ id: request.params!.commentId, deleted: true });
  },
});
