import { newId } from '../../src/common/ids.ts';
import type { EndpointContext } from './endpoint.ts';

const BY = 'test:harness';

/** Creates an empty playlist, grants it to the client of the context, and returns its slug when the server shows it. */
export async function grantPlaylist(
  { server, client }: EndpointContext,
  name: string,
): Promise<string> {
  const now = server.clock.now();
  const { playlists } = server.operator.store;
  const { id, slug } = await playlists.create(
    { id: newId(), name, description: '', createdAt: now, updatedAt: now },
    [],
    BY,
  );
  await playlists.grant(id, client.clientId, BY);
  await server.until(async () => {
    const params = { idOrSlug: slug };
    const token = await client.token();
    return (await server.call('showPlaylist', { token, params })).status === 200;
  });
  return slug;
}
