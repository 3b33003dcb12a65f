import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { NO_RECEIVER, newWebhook } from '../../../../test/harness/webhooks.ts';

const access = { feature: 'webhooks' };
const ANY_VERSION = { 'If-Match': '*' };

testEndpoint({
  operationId: 'createWebhook',
  operation: 'POST /v1/webhooks',
  access,
  status: 201,
  request: ({ featured }) => ({
    token: featured,
    body: { url: NO_RECEIVER, eventTypes: ['track.taken_down', 'track.created'] },
  }),
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({
      url: NO_RECEIVER,
      eventTypes: ['track.created', 'track.taken_down'],
      description: '',
      referencedOnly: false,
      hasAuthorization: false,
      enabled: true,
      disabledReason: null,
      version: 1,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(headers.location).toBe(`/v1/webhooks/${data.id}`);
    expect(headers.etag).toBe('"1"');
  },
});

testEndpoint({
  operationId: 'listWebhooks',
  operation: 'GET /v1/webhooks',
  access,
  async request(context) {
    await newWebhook(context);
    return { token: context.featured };
  },
  expectResponse({ data, body }) {
    expect(data.items).toMatchObject([{ url: NO_RECEIVER }]);
    expect(body.toString()).not.toContain('whsec_');
  },
});

testEndpoint({
  operationId: 'showWebhook',
  operation: 'GET /v1/webhooks/{id}',
  access,
  async request(context) {
    return { token: context.featured, params: { id: await newWebhook(context) } };
  },
  expectResponse({ data, headers, body }) {
    expect(data).toMatchObject({ url: NO_RECEIVER, enabled: true });
    expect(headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' });
    expect(body.toString()).not.toContain('secret');
  },
});

testEndpoint({
  operationId: 'updateWebhook',
  operation: 'PATCH /v1/webhooks/{id}',
  access,
  async request(context) {
    const params = { id: await newWebhook(context) };
    const body = { enabled: false, description: 'Off for now' };
    return { token: context.featured, params, headers: ANY_VERSION, body };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ enabled: false, disabledReason: null, version: 2 });
    expect(headers.etag).toBe('"2"');
  },
});

testEndpoint({
  operationId: 'deleteWebhook',
  operation: 'DELETE /v1/webhooks/{id}',
  usesUp: true,
  access,
  async request(context) {
    const params = { id: await newWebhook(context) };
    return { token: context.featured, params, headers: ANY_VERSION };
  },
  expectResponse({ data }, { request }) {
    expect(data).toEqual({ id: request.params!.id, deleted: true });
  },
});

testEndpoint({
  operationId: 'rotateSecret',
  operation: 'POST /v1/webhooks/{id}/rotate-secret',
  access,
  async request(context) {
    return { token: context.featured, params: { id: await newWebhook(context) }, body: {} };
  },
  expectResponse({ data }) {
    expect(data.secret).toMatch(/^whsec_/);
    expect(data.previousValidUntil).toMatch(/^\d{4}-.*Z$/);
  },
});
