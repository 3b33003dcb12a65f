import { expect } from 'vitest';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { grantPlaylist } from '../../../../test/harness/playlists.ts';

testEndpoint({
  operationId: 'listPlaylistTracks',
  operation: 'GET /v1/playlists/{idOrSlug}/tracks',
  access: { scope: 'playlists' },
  async request(context: EndpointContext) {
    return { params: { idOrSlug: await grantPlaylist(context, 'List') } };
  },
  expectResponse({ data }) {
    expect(data.totalRecords).toBe(0);
  },
});
