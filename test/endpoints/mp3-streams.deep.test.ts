import { parseBuffer } from 'music-metadata';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { mp3Bytes } from '../../src/engines/audio/mp3/mp3-layout.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { GrowingFile } from '../../src/features/renditions/streams/growing-file.ts';
import { delivery } from '../harness/catalog.ts';
import type { RawResponse } from '../harness/http.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const SECONDS = 30;
const KBPS = 128;
const PICTURE = Buffer.alloc(200_000, 7);

let server: TestServer;
let token: string;
/** Of floating point, which some browser does not play. */
const wav = (seed: number) =>
  wavFile([tone(SECONDS, 44_100, () => 0.5, seed), tone(SECONDS, 44_100, () => 0.3, 660)], {
    bits: 32,
    isFloat: true,
  });

beforeAll(async () => {
  server = await startTestServer({
    tracks: [],
    config: { streams: 'playable', streamKbps: KBPS, previewThreads: 1 },
  });
  const audioProperties = {
    ...{ sampleRate: 44_100, channels: 2, bitDepth: 32, bitrate: 2_822_400, bytes: 1 },
    ...{ samples: SECONDS * 44_100, isPlayable: false },
  };
  const files = [wav(440), wav(880), Buffer.from('no audio at all'), wav(550)];
  const tracks = files.map(async (bytes, n) => {
    const { media } = server.operator;
    const { key } = await media.putBytes(bytes, 'wav');
    const { key: artworkKey } = await media.putBytes(PICTURE, 'jpg');
    const artwork = n === 0 ? { artworkKey, coverBytes: PICTURE.length } : {};
    return delivery(n, { audioKey: key, audioProperties, ...artwork });
  });
  await server.deliver(await Promise.all(tracks));
  token = await (await server.createClient()).token();
});
afterAll(() => server?.close());

/** The path of the stream of a track, and what the track says of it. */
async function streamOf(n: number): Promise<{ path: string; bytes: number }> {
  const { data } = await server.call('showTrack', { token, params: { slug: delivery(n).id } });
  return { path: data.streamUrl.slice(server.address.length), bytes: data.stream.bytes };
}

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.http.send(method, path, headers);
const shown = ({ status, headers }: RawResponse, ...names: string[]) => [
  status,
  ...names.map((name) => headers[name]),
];

it('answers ranges and conditions of an MP3 before, while and after it is made', async () => {
  const { path, bytes } = await streamOf(0);
  expect(bytes).toBeGreaterThanOrEqual(mp3Bytes(SECONDS * 44_100, 44_100, KBPS));
  const head = await send(path, {}, 'HEAD');
  expect(shown(head, 'content-type', 'content-length', 'accept-ranges')).toEqual([
    ...[200, 'audio/mpeg', String(bytes), 'bytes'],
  ]);
  const etag = String(head.headers.etag);
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
  const first = await send(path, { range: 'bytes=0-1' });
  expect(shown(first, 'content-range', 'content-length', 'etag')).toEqual([
    ...[206, `bytes 0-1/${bytes}`, '2', etag],
  ]);
  const [whole, end] = await Promise.all([
    send(path),
    send(path, { range: 'bytes=-1000', 'if-range': etag }),
  ]);
  expect(shown(whole, 'content-length', 'etag')).toEqual([200, String(bytes), etag]);
  expect(whole.body.length).toBe(bytes);
  expect(shown(end, 'content-range')).toEqual([206, `bytes ${bytes - 1000}-${bytes - 1}/${bytes}`]);
  expect(end.body.equals(whole.body.subarray(-1000))).toBe(true);
  expect(first.body.equals(whole.body.subarray(0, 2))).toBe(true);

  const { common } = await parseBuffer(whole.body, 'audio/mpeg');
  expect(common).toMatchObject({ title: delivery(0).name, isrc: [delivery(0).isrc] });
  const [picture] = common.picture!;
  expect([picture!.format, PICTURE.equals(picture!.data)]).toEqual(['image/jpeg', true]);

  await server.until(async () => (await server.operator.store.streams.counts()).done === 1);
  const again = await send(path);
  expect(shown(again, 'etag')).toEqual([200, etag]);
  expect(again.body.equals(whole.body)).toBe(true);
  expect((await send(path, { 'if-none-match': etag })).status).toBe(304);
  expect((await send(path, { range: `bytes=${bytes}-` })).status).toBe(416);
  const other = await send(path, { range: 'bytes=0-1', 'if-range': '"another"' });
  expect(shown(other, 'content-length')).toEqual([200, String(bytes)]);
});

it('goes on to make an MP3 whose caller leaves', async () => {
  const { path } = await streamOf(1);
  const leaving = new AbortController();
  const response = await fetch(server.address + path, { signal: leaving.signal });
  expect(response.status).toBe(200);
  leaving.abort();
  await server.until(async () => (await server.operator.store.streams.counts()).done === 2);
  expect((await send(path)).status).toBe(200);
});

it('sends nothing of a track that is taken down before its first byte is made', async () => {
  const { path } = await streamOf(3);
  const { open } = GrowingFile.prototype;
  const spy = vi.spyOn(GrowingFile.prototype, 'open').mockImplementation(async function (
    this: GrowingFile,
    ...args
  ) {
    const opened = await open.apply(this, args);
    await setTrackState(server.operator.store, delivery(3).id, 'taken_down', 'test:harness');
    return opened;
  });
  const sent = await send(path);
  spy.mockRestore();
  expect([sent.status, sent.headers['content-length'] === undefined]).toEqual([410, false]);
  expect(JSON.parse(sent.body.toString()).error.type).toBe('gone');
});

it('sends the delivered file if no MP3 can be made of it', async () => {
  const { path } = await streamOf(2);
  const first = await send(path);
  expect(shown(first, 'retry-after')).toEqual([503, '5']);
  await server.until(async () => (await send(path)).status === 200);
  const sent = await send(path);
  expect(shown(sent, 'content-type')).toEqual([200, 'audio/wav']);
  expect(sent.body.toString()).toBe('no audio at all');
});
