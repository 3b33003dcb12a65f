import { expect } from 'vitest';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { grantPlaylist } from '../../../../test/harness/playlists.ts';

testEndpoint({
  operationId: 'listPlaylists',
  operation: 'GET /v1/playlists',
  access: { scope: 'playlists' },
  async request(context: EndpointContext) {
    await grantPlaylist(context, 'List');
    return {};
  },
  expectResponse({ data }) {
    expect(data.items.map(({ slug }: { slug: string }) => slug)).toEqual(['list']);
  },
});
