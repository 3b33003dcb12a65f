import { describe, expect, it } from 'vitest';
import { usePartsServer } from '../../../../test/harness/parts-server.ts';

describe('requests for media', () => {
  const started = usePartsServer();

  it('are counted if they get the media of a track', async () => {
    const { show, get, server, client } = started();
    const { trackId, stems, archiveUrl } = await show();
    const token = await client.token();
    const track = (await server.call('showTrack', { token, params: { slug: 'night-ferry' } })).data;
    const from = Date.now() - 24 * 60 * 60_000;
    const counted = async () => {
      const used = await server.operator.store.mediaRequests.ofTrack(trackId, {
        ...{ from, to: from + 48 * 60 * 60_000 },
      });
      return Object.fromEntries(used.map(({ kind, requests }) => [kind, requests]));
    };
    const { pathname, search } = new URL(track.streamUrl);
    expect((await server.http.send('GET', pathname + search)).status).toBe(200);
    const etags: string[] = [];
    for (const url of [stems[0]!.url, stems[1]!.url, archiveUrl]) {
      const whole = await get(url);
      expect(whole.status).toBe(200);
      etags.push(whole.headers.etag!);
    }
    const range = await get(stems[0]!.url, { headers: { Range: 'bytes=1-2' } });
    expect(range.status).toBe(206);
    // None of these gets media.
    const others: [number, string, object][] = [
      [200, stems[0]!.url, { method: 'HEAD' }],
      [304, stems[0]!.url, { headers: { 'If-None-Match': etags[0]! } }],
      [304, archiveUrl, { headers: { 'If-None-Match': etags[2]! } }],
      [416, stems[0]!.url, { headers: { Range: 'bytes=9999999-' } }],
      [403, `${stems[0]!.url}0`, {}],
    ];
    for (const [status, url, options] of others) {
      expect((await get(url, options)).status).toBe(status);
    }
    const inAll = async () => Object.values(await counted()).reduce((sum, n) => sum + n, 0);
    await server.until(async () => (await inAll()) >= 5);
    expect(await counted()).toEqual({ stream: 1, part: 3, archive: 1 });
    const [use] = await server.operator.store.mediaRequests.ofTrack(trackId, {
      ...{ from, to: from + 48 * 60 * 60_000 },
    });
    expect(use).toMatchObject({ clientId: client.clientId, mode: 'test' });
    expect(use!.lastAt).toBeGreaterThanOrEqual(use!.firstAt);
  });
});
