import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { errorOf, TRACKS, usePreviewServer } from '../../../../test/harness/preview-server.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import { startTestServer } from '../../../../test/harness/test-server.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { ALL_SCOPES } from '../../../common/caller.ts';

it('a service makes the clip of a test license, although no client has the feature previews', async () => {
  const server = await startTestServer({ tracks: [], config: { previewThreads: 1 } });
  try {
    const { media, store } = server.operator;
    const { key: audioKey } = await media.putBytes(wav(), 'wav');
    await server.deliver([delivery(0, { audioKey })]);
    await publishCard(store);
    const client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    const token = await client.token();
    const { number } = await sell(server, token, { tracks: [delivery(0).id] });
    const { data } = await server.call('createDownloads', { token, params: { number }, body: {} });
    const { pathname, search } = new URL(data.items[0].url);
    const get = () => server.http.send('GET', pathname + search);
    await server.until(async () => (await get()).status === 200);
    expect((await get()).headers['content-type']).toBe('audio/mpeg');
  } finally {
    await server.close();
  }
});

describe('the files of a test license', () => {
  const started = usePreviewServer();

  it('are clips, which are made when they are downloaded', async () => {
    const { server, get, whileMaking } = started();
    await publishCard(server.operator.store);
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['licensing'] });
    const token = await client.token();
    const { number } = await sell(server, token, { tracks: [delivery(TRACKS.sounding).id] });
    const request = async () =>
      (await server.call('createDownloads', { token, params: { number }, body: {} })).data.items[0];
    const { bytes, url } = await request();
    expect(bytes).toBeNull();
    const { status, headers, body } = await whileMaking(() => get(url, 'downloadLicensedFile'));
    expect([status, headers['content-type']]).toEqual([200, 'audio/mpeg']);
    expect(headers['content-disposition']).toContain('TEST - Artist 0 - Night Ferry.mp3');
    expect(body.includes(number)).toBe(true);
    expect((await request()).bytes).toBe(body.length);
  });

  it('are refused with the reason where there can be no clip', async () => {
    const { server, whileMaking, open } = started();
    await publishCard(server.operator.store);
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['licensing'] });
    const token = await client.token();
    expect(errorOf(await whileMaking(() => open(TRACKS.damaged, 'previewUrl')))[0]).toBe(404);
    const { number } = await sell(server, token, { tracks: [delivery(TRACKS.damaged).id] });
    const { status, error } = await server.call('createDownloads', {
      ...{ token, params: { number }, body: {} },
    });
    expect([status, error.message]).toEqual([409, expect.stringContaining('has no clip')]);
  });
});
