import type { EndpointContext } from './endpoint.ts';

/** Saves a search of the client with all features. Returns its id. */
export async function newSavedSearch(
  { server, featured }: EndpointContext,
  search: object = {},
): Promise<string> {
  const { data } = await server.call('createSavedSearch', {
    token: featured,
    body: { name: `Search ${crypto.randomUUID()}`, search },
  });
  return data.id;
}
