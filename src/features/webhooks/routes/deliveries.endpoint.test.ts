import { expect } from 'vitest';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { newDelivery, newWebhook } from '../../../../test/harness/webhooks.ts';

const access = { feature: 'webhooks' };

const onWebhook = async (context: EndpointContext) => ({
  token: context.featured,
  params: { id: await newWebhook(context) },
});

async function onDelivery(context: EndpointContext) {
  const { token, params } = await onWebhook(context);
  return { token, params: { ...params, deliveryId: await newDelivery(context, params.id) } };
}

testEndpoint({
  operationId: 'pingWebhook',
  operation: 'POST /v1/webhooks/{id}/ping',
  access,
  status: 202,
  request: async (context) => ({ ...(await onWebhook(context)), body: {} }),
  expectResponse({ data }) {
    expect(Object.keys(data)).toEqual(['deliveryId']);
  },
});

testEndpoint({
  operationId: 'simulateWebhook',
  operation: 'POST /v1/webhooks/{id}/simulate',
  access,
  status: 202,
  request: async (context) => ({
    ...(await onWebhook(context)),
    body: { type: 'track.taken_down' },
  }),
  expectResponse({ data }) {
    expect(Object.keys(data)).toEqual(['deliveryId']);
  },
});

testEndpoint({
  operationId: 'listWebhookDeliveries',
  operation: 'GET /v1/webhooks/{id}/deliveries',
  access,
  async request(context) {
    const { deliveryId, ...params } = (await onDelivery(context)).params;
    return { token: context.featured, params, query: { type: 'webhook.ping' } };
  },
  expectResponse({ data }) {
    expect(data.items).toMatchObject([{ type: 'webhook.ping', seq: null }]);
  },
});

testEndpoint({
  operationId: 'showWebhookDelivery',
  operation: 'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
  access,
  request: onDelivery,
  expectResponse({ data }, { request }) {
    const { id: webhookId, deliveryId } = request.params!;
    expect(data).toMatchObject({
      id: deliveryId,
      payload: { type: 'webhook.ping', data: { mode: 'test', webhookId } },
      attempts: expect.any(Array),
    });
  },
});

testEndpoint({
  operationId: 'replayWebhook',
  operation: 'POST /v1/webhooks/{id}/replay',
  access,
  status: 202,
  request: async (context) => ({
    ...(await onWebhook(context)),
    body: { from: '2026-01-01T00:00:00Z', status: 'all' },
  }),
  expectResponse({ data }) {
    expect(data).toEqual({ count: 0 });
  },
});

testEndpoint({
  operationId: 'replayWebhookDelivery',
  operation: 'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
  access,
  status: 202,
  async request(context) {
    const { token, params } = await onDelivery(context);
    // Disabling discards the message, and only a message that is not pending can be replayed.
    for (const enabled of [false, true]) {
      await context.server.call('updateWebhook', {
        token,
        params,
        headers: { 'If-Match': '*' },
        body: { enabled },
      });
    }
    return { token, params, body: {} };
  },
  expectResponse({ data }, { request }) {
    expect(data).toEqual({ deliveryId: request.params!.deliveryId });
  },
});
