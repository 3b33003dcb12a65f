import type { EndpointContext } from './endpoint.ts';

/** Creates a collection of the client with all features. Returns its id. */
export async function newCollection(
  { server, featured }: EndpointContext,
  body: { name?: string; tracks?: readonly string[] } = {},
): Promise<string> {
  const { data } = await server.call('createCollection', {
    token: featured,
    body: { name: 'Spring campaign', ...body },
  });
  return data.id;
}
