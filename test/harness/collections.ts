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

/** Creates a link to a collection with a track, both of the client with all features. */
export async function newLink(
  context: EndpointContext,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ id: string; linkId: string; token: string; trackId: string }> {
  const { server, featured } = context;
  const { data: tracks } = await server.call('listTracks', { token: featured });
  const trackId: string = tracks.items[0].id;
  const id = await newCollection(context, { tracks: [trackId] });
  const request = { token: featured, params: { id }, body };
  const { data } = await server.call('createCollectionLink', request);
  return { id, linkId: data.id, token: data.url.split('/').at(-1)!, trackId };
}

/** What a guest sends with each request. */
export const GUEST = { guest: '7pXqTz0aB3dE6gH9jK2mN5', name: 'Ana' };

/** Creates a link, and a comment of a guest. */
export async function newComment(context: EndpointContext) {
  const link = await newLink(context);
  const { data } = await context.server.call('commentShared', {
    params: { token: link.token },
    body: { ...GUEST, trackId: link.trackId, text: 'Could work' },
  });
  return { ...link, commentId: data.id as string };
}
