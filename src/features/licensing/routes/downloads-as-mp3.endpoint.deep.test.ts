import { parseBuffer } from 'music-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/test-server.ts';
import { tone, wavFile } from '../../renditions/audio-files.test-support.ts';

const SECONDS = 20;
const SAMPLES = SECONDS * 44_100;

describe('the format mp3 of a track that was delivered as WAV', () => {
  let server: TestServer;
  let token: string;
  let number: string;
  beforeAll(async () => {
    server = await startTestServer({ tracks: [], config: { previewThreads: 1 } });
    const { media, store } = server.operator;
    await publishCard(store, { parts: true });
    const put = async (frequency: number) =>
      media.putBytes(wavFile([tone(SECONDS, 44_100, () => 0.5, frequency)]), 'wav');
    const { key: audioKey } = await put(440);
    const stem = await put(880);
    const audioProperties = {
      ...{
        sampleRate: 44_100,
        channels: 1,
        bitDepth: 16,
        bitrate: 705_600,
        bytes: SAMPLES * 2 + 44,
      },
      ...{ samples: SAMPLES, isPlayable: true },
    };
    const stems = [
      { kind: 'drums', name: 'Kit', durationSeconds: SECONDS, audioKey: stem.key, sizeBytes: 9 },
    ];
    await server.deliver([delivery(0, { audioKey, audioProperties, stems })]);
    const client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    token = await client.token({ mode: 'live' });
    ({ number } = await sell(server, token, { tracks: [delivery(0).id] }));
  });
  afterAll(() => server?.close());

  const get = async (url: string, headers: Record<string, string> = {}) => {
    const { pathname, search } = new URL(url);
    return server.http.send('GET', pathname + search, headers);
  };
  const request = async (body: object) =>
    (await server.call('createDownloads', { token, params: { number }, body })).data.items;

  it('is an MP3 of 320 kbit/s with the license in its tags, whose length is known before', async () => {
    const [item] = await request({ format: 'mp3' });
    expect(item).toMatchObject({
      ...{ format: 'mp3', tagged: true, fileName: 'Artist 0 - Night Ferry.mp3' },
      bytes: expect.any(Number),
    });
    const whole = await get(item.url);
    expect([whole.status, whole.headers['content-type'], whole.body.length]).toEqual([
      ...[200, 'audio/mpeg', item.bytes],
    ]);
    const { format, common, native } = await parseBuffer(whole.body, 'audio/mpeg');
    expect(format).toMatchObject({ codec: 'MPEG 1 Layer 3', bitrate: 320_000 });
    expect(common).toMatchObject({ title: 'Night Ferry', isrc: [delivery(0).isrc] });
    const texts = native['ID3v2.4']!.filter(({ id }) => id === 'TXXX:LICENSE');
    expect(texts.map(({ value }) => value)).toEqual([number]);
    const end = await get(item.url, { range: 'bytes=-100' });
    expect([end.status, end.headers.etag]).toEqual([206, whole.headers.etag]);
    expect(end.body.equals(whole.body.subarray(-100))).toBe(true);
    const { data } = await server.call('listDownloads', { token, params: { number } });
    expect(data.items).toMatchObject([{ format: 'mp3', partId: null, bytes: item.bytes }]);
  });

  it('is made of stems, too, whose length is known when they are made', async () => {
    const [, stem] = await request({ format: 'mp3', parts: true });
    expect(stem).toMatchObject({ bytes: null, fileName: expect.stringMatching(/\(Kit\)\.mp3$/) });
    await server.until(async () => (await get(stem.url)).status === 200);
    const { format } = await parseBuffer((await get(stem.url)).body, 'audio/mpeg');
    expect(format.bitrate).toBe(320_000);
  });
});
