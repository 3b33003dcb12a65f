import type { EndpointContext } from './endpoint.ts';

/** A URL where nothing listens. */
export const NO_RECEIVER = 'http://127.0.0.1:9/hook';

/** Registers a webhook of the client with all features. Returns its id. */
export async function newWebhook({ server, featured }: EndpointContext): Promise<string> {
  const { data } = await server.call('createWebhook', {
    token: featured,
    body: { url: NO_RECEIVER, eventTypes: ['track.created'] },
  });
  return data.id;
}

/** Adds a message to a webhook. Returns the id of its delivery. */
export async function newDelivery(
  { server, featured }: EndpointContext,
  id: string,
): Promise<string> {
  const { data } = await server.call('pingWebhook', { token: featured, params: { id }, body: {} });
  return data.deliveryId;
}
