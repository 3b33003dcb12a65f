import { expect } from 'vitest';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { grantPlaylist } from '../../../../test/harness/playlists.ts';

testEndpoint({
  operationId: 'showPlaylist',
  operation: 'GET /v1/playlists/{idOrSlug}',
  access: { scope: 'playlists' },
  async request(context: EndpointContext) {
    return { params: { idOrSlug: await grantPlaylist(context, 'List') } };
  },
  expectResponse({ data }) {
    expect(data.name).toBe('List');
  },
});
