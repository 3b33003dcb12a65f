import fc from 'fast-check';
import { expect, it } from 'vitest';
import { setClientEnabled } from '../../src/features/access/clients.ts';
import { rotateKeys } from '../../src/features/access/key-ring.ts';
import { SignedUrls } from '../../src/features/media/signed-url.ts';
import { delivery } from './catalog.ts';
import { client, errorType, get, list, server, streamUrl, url } from './stream-fixture.ts';
import { setTrackState } from './track-state.ts';

/** Tests who may read a stream URL, for how long, and the errors for others. */
export function streamAccess(): void {
  it('accepts the absolute form of the request target, because the host is not signed', async () => {
    const response = await server.http.send('GET', `http://other.example${url}`);
    expect(response.status).toBe(200);
  });

  it('refuses a changed byte, and a dropped, added, repeated or reordered parameter', async () => {
    for (const changed of [
      `${url}&x=1`,
      `${url}&expires=1800`,
      url.replace('expires=1800&', ''),
      url.replace('expires=1800', 'expires=604800'),
      url.replace(/(expires=1800)&(issued=\d+)/, '$2&$1'),
      url.replace('mode=test', 'mode=live'),
      url.replace('signature=', 'Signature='),
      url.replace('.wav?', '?'),
      url.replace('.wav?', '.mp3?'),
      url.replace('.wav?', '.wav.mp3?'),
      url.split('?')[0]!,
      url.replace('/stream/', '/stream/..%2f'),
      url.replace(/stream\/[^?]+/, 'stream/%2e%2e%2fstave.db'),
    ]) {
      const response = await get({}, 'GET', changed);
      expect([response.status, errorType(response)], changed).toEqual([403, 'invalid_signature']);
    }
  });

  it('has the extension of the file, but none without audio, and accepts a URL without one', async () => {
    const { id } = delivery(0);
    expect(url.startsWith(`/media/stream/${id}.wav?`)).toBe(true);
    const silent = delivery(1).id;
    expect((await streamUrl('Without audio')).startsWith(`/media/stream/${silent}?`)).toBe(true);
    const body = { trackIds: [silent, id] };
    const renewed = await server.call('signStreams', { token: await client.token(), body });
    const paths = renewed.data.items.map(({ streamUrl }: { streamUrl: string }) => {
      return new URL(streamUrl).pathname;
    });
    expect(paths).toEqual([`/media/stream/${silent}`, `/media/stream/${id}.wav`]);
    const keys = await server.operator.store.keys.all();
    const key = keys.find(({ purpose }) => purpose === 'url')!;
    const urls = new SignedUrls({ keys: { signing: () => key, verifying: () => [] } });
    const former = urls.sign('stream', id, client.clientId, 'test', server.clock.now());
    expect((await get({}, 'GET', former)).status).toBe(200);
  });

  it('keeps a URL valid while the audio changes, and sends the true type', async () => {
    const put = (text: string, extension: string) =>
      server.operator.media.putBytes(Buffer.from(text), extension);
    const track = delivery(91, { name: 'Remastered', audioKey: (await put('old', 'mp3')).key });
    await server.deliver([track]);
    await server.until(async () => (await list('Remastered')).length === 1);
    const path = await streamUrl('Remastered');
    await server.deliver([{ ...track, audioKey: (await put('new', 'flac')).key }]);
    const { status, headers, body } = await get({}, 'GET', path);
    expect([status, headers['content-type'], body.toString()]).toEqual([200, 'audio/flac', 'new']);
    await server.until(async () => (await streamUrl('Remastered')).includes('.flac?'));
  });

  it('refuses invalid paths before it checks the signature', async () => {
    for (const name of ['a%00b', 'a%zzb', '%c3%28']) {
      const response = await server.http.send(
        'GET',
        url.replace(/stream\/[^?]+/, `stream/${name}`),
      );
      expect([response.status, errorType(response)], name).toEqual([400, 'invalid_request']);
    }
  });

  it('accepts no random mutation over the wire', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: url.length - 1 }),
        fc.stringMatching(/^[!-"$-~]$/),
        async (at, character) => {
          const changed = url.slice(0, at) + character + url.slice(at + 1);
          // `/?…` is the address of the welcome page.
          fc.pre(changed !== url && !/^\/[?#]/.test(changed));
          const { status } = await server.http.send('GET', changed);
          expect([400, 403, 404]).toContain(status);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is not_found for a track without audio, and gone for one that was taken down', async () => {
    const silent = await get({}, 'GET', await streamUrl('Without audio'));
    expect([silent.status, errorType(silent)]).toEqual([404, 'not_found']);

    const path = await streamUrl('Taken down');
    const [track] = await list('Taken down');
    expect((await get({}, 'GET', path)).status).toBe(200);
    await setTrackState(server.operator.store, track!.id, 'taken_down', 'test');
    const gone = await get({}, 'GET', path);
    expect([gone.status, errorType(gone)]).toEqual([410, 'gone']);
  });

  it('is gone for a track that its source withdrew, until it is delivered again', async () => {
    const { key: audioKey } = await server.operator.media.putBytes(Buffer.from('fickle'), 'mp3');
    const track = delivery(90, { source: 'fickle', name: 'Fickle', audioKey });
    await server.deliver([track]);
    await server.until(async () => (await list('Fickle')).length === 1);
    const path = await streamUrl('Fickle');
    const session = await server.operator.store.catalog.openDelivery('test', 'full');
    expect(await session.withdrawAbsent('fickle')).toBe(1);
    await session.close();
    const gone = await get({}, 'GET', path);
    expect([gone.status, errorType(gone)]).toEqual([410, 'gone']);
    await server.deliver([track]);
    expect((await get({}, 'GET', path)).status).toBe(200);
  });

  it('is unavailable if the file is missing from the store', async () => {
    const response = await get({}, 'GET', await streamUrl('Lost'));
    expect([response.status, errorType(response)]).toEqual([503, 'unavailable']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('keeps issued URLs valid after a rotation of the keys and a revoked secret', async () => {
    const { store } = server.operator;
    await rotateKeys({ keys: store.keys, clock: server.clock }, 'test');
    const { secrets } = (await store.clients.get(client.clientId))!;
    const live = secrets.find(({ mode }) => mode === 'live')!;
    await store.clients.revokeSecret(client.clientId, live.id, 'test');
    await server.until(async () => {
      const fresh = await streamUrl('With audio');
      return fresh !== url && (await get({}, 'GET', fresh)).status === 200;
    });
    expect((await get()).status).toBe(200);
  });

  // The last two tests move the clock and disable the client.
  it('completes a download that began in time, and refuses the next one', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024, 9);
    const { key } = await server.operator.media.putBytes(large, 'flac');
    await server.deliver([delivery(8, { name: 'Slow', audioKey: key })]);
    await server.until(async () => (await list('Slow')).length === 1);
    const path = await streamUrl('Slow');

    const response = await fetch(server.address + path);
    const reader = response.body!.getReader();
    let received = (await reader.read()).value!.length;
    server.clock.advance(1811);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      received += value.length;
    }
    expect(received).toBe(large.length);

    const late = await get({ Range: 'bytes=0-9' }, 'GET', path);
    expect([late.status, errorType(late)]).toEqual([403, 'url_expired']);
    const forged = await get({}, 'GET', path.replace('mode=test', 'mode=live'));
    expect(errorType(forged)).toBe('invalid_signature');
  });

  it('ends the URLs of a client that is disabled', async () => {
    const path = await streamUrl('With audio');
    expect((await get({}, 'GET', path)).status).toBe(200);
    // More than the ten seconds to which the time of issue is rounded.
    server.clock.advance(20);
    await setClientEnabled(server.operator, client.clientId, false);
    await server.until(async () => (await get({}, 'GET', path)).status === 403);
    expect(errorType(await get({}, 'GET', path))).toBe('url_expired');

    await setClientEnabled(server.operator, client.clientId, true);
    await client.token({ fresh: true });
    const fresh = await streamUrl('With audio');
    expect((await get({}, 'GET', fresh)).status).toBe(200);
    expect(errorType(await get({}, 'GET', path))).toBe('url_expired');
  });
}
