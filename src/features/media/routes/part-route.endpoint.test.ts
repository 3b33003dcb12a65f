import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { AUDIO, usePartsServer } from '../../../../test/harness/parts-server.ts';
import { errorOf, messageOf } from '../../../../test/harness/preview-server.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { ALL_SCOPES } from '../../../common/caller.ts';
import { setClientEnabled, updateClient } from '../../access/clients.ts';

// Every declared status of streamArchive, too, except the limit of archives.
describe('streamPart', () => {
  const started = usePartsServer();

  it('send each part as a stream, whole and in ranges', async () => {
    const { show, get } = started();
    const { stems, versions } = await show();
    for (const [i, { url }] of [...stems, ...versions].entries()) {
      const whole = await get(url);
      expect([whole.status, whole.headers['content-type']]).toEqual([200, 'audio/wav']);
      expect(whole.body.equals(AUDIO[i]!)).toBe(true);
    }
    const { headers } = await get(`${stems[0]!.url}&download`);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"]*Night Ferry \(/);
    const range = await get(stems[3]!.url, { headers: { Range: 'bytes=100-199' } });
    expect([range.status, range.headers['content-range']]).toEqual([
      206,
      `bytes 100-199/${AUDIO[3]!.length}`,
    ]);
    expect(range.body.equals(AUDIO[3]!.subarray(100, 200))).toBe(true);
    const outside = await get(stems[3]!.url, { headers: { Range: 'bytes=9999999-' } });
    expect(errorOf(outside)).toEqual([416, 'range_not_satisfiable']);
  });

  it.each(['part', 'archive'])('evaluate conditions, and respond to HEAD: %s', async (kind) => {
    const { show, get } = started();
    const { stems, archiveUrl } = await show();
    const url = kind === 'part' ? stems[0]!.url : archiveUrl;
    const whole = await get(url);
    expect(whole.headers['access-control-allow-origin']).toBe('*');
    expect(whole.headers['cache-control']).toMatch(/^private, max-age=1[78]\d\d$/);
    expect(whole.headers['content-length']).toBe(String(whole.body.length));
    const head = await get(url, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ['content-length', 'etag', 'accept-ranges', 'content-type']) {
      expect(head.headers[name], name).toBe(whole.headers[name]);
    }
    const etag = whole.headers.etag!;
    const same = await get(url, { headers: { 'If-None-Match': etag } });
    expect([same.status, same.headers.etag, same.body.length]).toEqual([304, etag, 0]);
    const other = await get(url, { headers: { 'If-Match': '"other"' } });
    expect(errorOf(other)).toEqual([412, 'precondition_failed']);
  });

  it('open nothing with the path, the kind or the signature of another URL', async () => {
    const { show, server, client } = started();
    const { stems, archiveUrl } = await show();
    const token = await client.token();
    const track = (await server.call('showTrack', { token, params: { slug: 'night-ferry' } })).data;
    const urls: Record<string, string> = {
      stream: track.streamUrl,
      part: stems[0]!.url,
      sibling: stems[1]!.url,
      archive: archiveUrl,
    };
    const send = (path: string) => server.http.send('GET', path.replace(server.address, ''));
    for (const url of Object.values(urls)) expect((await send(url)).status).toBe(200);
    let tried = 0;
    for (const [name, url] of Object.entries(urls)) {
      const { pathname, search } = new URL(url);
      const signatureOf = (of: string) => of.slice(of.indexOf('&signature='));
      const kind = /&kind=\w+/.exec(url)?.[0];
      const changed = [
        kind === undefined
          ? url.replace('&signature', '&kind=part&signature')
          : url.replace(kind, ''),
        ...['part', 'archive', 'stream', 'preview'].map((one) =>
          url.replace(/&kind=\w+/, `&kind=${one}`),
        ),
        ...Object.entries(urls)
          .filter(([other]) => other !== name)
          .flatMap(([, other]) => [
            new URL(other).pathname + search,
            pathname + new URL(other).search,
            url.replace(signatureOf(url), signatureOf(other)),
          ]),
        url.replace('mode=test', 'mode=live'),
        url.replace('expires=1800', 'expires=9999'),
      ]
        .map((one) => one.replace(server.address, ''))
        // The query of two parts differs in the signature alone.
        .filter((one) => !Object.values(urls).some((valid) => valid.endsWith(one)));
      for (const one of changed) {
        expect(errorOf(await send(one)), one).toEqual([403, 'invalid_signature']);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(40);
  });

  it.each(['part', 'archive'])('are gone once the track is taken down: %s', async (kind) => {
    const { show, get, server } = started();
    const { stems, archiveUrl } = await show();
    const url = kind === 'part' ? stems[0]!.url : archiveUrl;
    const { store } = server.operator;
    await setTrackState(store, delivery(0).id, 'taken_down', 'test:harness');
    expect(errorOf(await get(url))).toEqual([410, 'gone']);
    await setTrackState(store, delivery(0).id, 'live', 'test:harness');
    expect((await get(url)).status).toBe(200);
  });

  it('find nothing once the parts were removed', async () => {
    const { show, get, server, stems } = started();
    await server.deliver([delivery(2, { stems: stems.slice(0, 2) })]);
    const shown = await show(delivery(2).id);
    await server.deliver([delivery(2, { stems: stems.slice(2, 3) })]);
    // The drums are gone.
    expect(errorOf(await get(shown.stems[1]!.url))).toEqual([404, 'not_found']);
    expect((await get(shown.archiveUrl)).status).toBe(200);
    await server.deliver([delivery(2, { stems: [] })]);
    const none = await get(shown.archiveUrl);
    expect(errorOf(none)).toEqual([404, 'not_found']);
    expect(messageOf(none)).toBe('The track has neither stems nor versions.');
  });

  it.each(['part', 'archive'])('are unavailable while a file is missing: %s', async (kind) => {
    const { show, get, server, stems } = started();
    const lost = { ...stems[0]!, audioKey: `${'0'.repeat(64)}.wav` };
    await server.deliver([delivery(3, { stems: [stems[1]!, lost] })]);
    const shown = await show(delivery(3).id);
    const response = await get(kind === 'part' ? shown.stems[1]!.url : shown.archiveUrl);
    expect(errorOf(response)).toEqual([503, 'unavailable']);
    expect(response.headers['retry-after']).toBe('30');
  });

  it('stay valid without the feature, until the client is disabled', async () => {
    const { get, server } = started();
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['stems'] });
    const token = await client.token();
    const params = { slug: 'night-ferry' };
    const list = () => server.call('listStems', { token, params });
    const { stems, archiveUrl } = (await list()).data;
    await updateClient(server.operator, client.clientId, { disableFeatures: ['stems'] });
    await server.until(async () => (await list()).status === 403);
    for (const url of [stems[0].url, archiveUrl]) expect((await get(url)).status).toBe(200);
    await setClientEnabled(server.operator, client.clientId, false);
    for (const url of [stems[0].url, archiveUrl]) {
      await server.until(async () => (await get(url)).status === 403);
      expect(errorOf(await get(url))).toEqual([403, 'url_expired']);
    }
  });

  it('expire with the list', async () => {
    const { show, get, server } = started();
    const { stems, archiveUrl, urlsExpireAt } = await show();
    server.clock.advance((Date.parse(urlsExpireAt) - server.clock.now()) / 1000 - 3);
    for (const url of [stems[0]!.url, archiveUrl]) expect((await get(url)).status).toBe(200);
    server.clock.advance(4);
    for (const url of [stems[0]!.url, archiveUrl]) {
      expect(errorOf(await get(url))).toEqual([403, 'url_expired']);
    }
  });
});
