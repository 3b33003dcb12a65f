import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliveries } from '../../../test/harness/catalog.ts';
import { startTestServer, type TestServer } from '../../../test/harness/test-server.ts';

// The responses of the two operations are tested in test/endpoints/media-*.test.ts, on a folder and on a bucket.

let server: TestServer;
let trackUrls: { streamUrl: string; artworkUrl: string };
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(5) });
  const token = await (await server.createClient()).token();
  trackUrls = (await server.call('showTrack', { token, params: { slug: 'sunrise' } })).data;
});
afterAll(() => server?.close());

it('media operations respond as declared to a wrong name or signature', async () => {
  const changed = `${new URL(trackUrls.streamUrl).pathname}?signature=x`;
  const forged = await server.http.send('GET', changed);
  server.contract.check('streamTrack', forged);
  expect(forged.status).toBe(403);
  const nothing = await server.http.send('GET', '/media/artwork/none.png');
  server.contract.check('readArtwork', nothing);
  expect(nothing.status).toBe(404);
  const picture = await server.http.send('GET', new URL(trackUrls.artworkUrl).pathname);
  server.contract.check('readArtwork', picture);
  expect(picture.status).toBe(200);
  const silent = await server.http.send('GET', trackUrls.streamUrl.slice(server.address.length));
  server.contract.check('streamTrack', silent);
  expect(silent.status).toBe(404);
});
