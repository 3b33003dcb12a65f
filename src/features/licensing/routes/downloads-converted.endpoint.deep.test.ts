import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBuffer } from 'music-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { decodeByFfmpeg, FFMPEG, makeByFfmpeg } from '../../../../test/harness/ffmpeg.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/test-server.ts';
import { readTags } from '../../import/audio/read-tags.ts';
import { audioFolder } from '../../renditions/audio-files.test-support.ts';

const SECONDS = 5;
const NOISE = ['-f', 'lavfi', '-i', `anoisesrc=d=${SECONDS}:a=0.9:seed=1`, '-ac', '2'];
const TEXTS = ['-metadata', 'album=Crossings', '-metadata', 'copyright=2026 Harbor'];
/** What is delivered, and what ffmpeg makes it with. */
const FILES = {
  'sixteen.wav': ['-c:a', 'pcm_s16le'],
  'twenty-four.aiff': ['-c:a', 'pcm_s24be', '-write_id3v2', '1'],
  'sixteen.flac': ['-sample_fmt', 's16'],
  'alac.m4a': ['-c:a', 'alac', '-sample_fmt', 's16p'],
  'float.wav': ['-c:a', 'pcm_f32le', '-bitexact'],
  'lossy.mp3': ['-b:a', '64k'],
  'lossy.ogg': ['-c:a', 'libvorbis'],
} as const;
type Name = keyof typeof FILES;
const NAMES = Object.keys(FILES) as Name[];

describe.runIf(FFMPEG)('the formats wav and flac of licensed files', () => {
  const folder = audioFolder();
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startTestServer({ tracks: [], config: { previewThreads: 1 } });
    const { media, store } = server.operator;
    await publishCard(store, { parts: true });
    const tracks = [];
    for (const [n, name] of NAMES.entries()) {
      const path = join(folder.path, name);
      makeByFfmpeg(...NOISE, ...FILES[name], ...TEXTS, path);
      const { properties, extension } = (await readTags(path)).facts;
      const { key: audioKey, sizeBytes } = await media.putFile(path, extension);
      const audioProperties = { ...properties, bytes: sizeBytes };
      const stem = { kind: 'drums', name: 'Kit', durationSeconds: SECONDS, audioKey, sizeBytes };
      const stems = name === 'twenty-four.aiff' ? [stem] : [];
      tracks.push(delivery(n, { audioKey, audioProperties, stems }));
    }
    await server.deliver(tracks);
    const client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    token = await client.token({ mode: 'live' });
  });
  afterAll(() => server?.close());

  const idOf = (name: Name) => delivery(NAMES.indexOf(name)).id;
  const license = async (...names: Name[]): Promise<string> =>
    (await sell(server, token, { tracks: names.map(idOf) })).number;
  const request = (number: string, body: object) =>
    server.call('createDownloads', { token, params: { number }, body });
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const { pathname, search } = new URL(url);
    return server.http.send('GET', pathname + search, headers);
  };
  const decoded = async (bytes: Buffer, name: string) => {
    const path = join(folder.path, name);
    await writeFile(path, bytes);
    return decodeByFfmpeg(path);
  };

  it.each(['twenty-four.aiff', 'sixteen.flac', 'alac.m4a'] as const)(
    'sends a WAV of %s while it is made, with the samples, the license and its length',
    async (name) => {
      const number = await license(name);
      const [item] = (await request(number, { format: 'wav' })).data.items;
      expect(item).toMatchObject({ tagged: true, fileName: expect.stringMatching(/\.wav$/) });
      const whole = await get(item.url);
      expect([whole.status, whole.headers['content-type'], whole.body.length]).toEqual([
        ...[200, 'audio/wav', item.bytes],
      ]);
      expect(whole.headers['content-length']).toBe(String(item.bytes));
      expect(await decoded(whole.body, 'made.wav')).toEqual(
        decodeByFfmpeg(join(folder.path, name)),
      );
      const { format, native } = await parseBuffer(whole.body, 'audio/wav');
      expect(format).toMatchObject({ bitsPerSample: name === 'twenty-four.aiff' ? 24 : 16 });
      const frames = native['ID3v2.4'];
      expect(frames).toContainEqual({ id: 'TXXX:LICENSE', value: number });
      expect(frames).toContainEqual({ id: 'TALB', value: 'Crossings' });
      expect(frames).toContainEqual({ id: 'TCOP', value: '2026 Harbor' });
      const middle = await get(item.url, { range: 'bytes=100000-100999' });
      expect([middle.status, middle.headers.etag]).toEqual([206, whole.headers.etag]);
      expect(middle.body.equals(whole.body.subarray(100_000, 101_000))).toBe(true);
      const { data } = await server.call('listDownloads', { token, params: { number } });
      expect(data.items).toMatchObject([{ format: 'wav', bytes: item.bytes }]);
    },
  );

  it.each(['sixteen.wav', 'twenty-four.aiff', 'alac.m4a'] as const)(
    'sends a FLAC of %s, whose length is known when it is made',
    async (name) => {
      const number = await license(name);
      const first = (await request(number, { format: 'flac' })).data.items[0];
      expect(first).toMatchObject({ tagged: true, bytes: null });
      await server.until(async () => (await get(first.url)).status === 200);
      const [item] = (await request(number, { format: 'flac' })).data.items;
      const whole = await get(item.url);
      expect([whole.headers['content-type'], whole.body.length]).toEqual([
        'audio/flac',
        item.bytes,
      ]);
      const expected = decodeByFfmpeg(join(folder.path, name));
      expect(await decoded(whole.body, 'made.flac')).toEqual(expected);
      const { common, native } = await parseBuffer(whole.body, 'audio/flac');
      expect(common.title).toBe(delivery(NAMES.indexOf(name)).name);
      expect(native.vorbis).toContainEqual({ id: 'LICENSE', value: number });
      expect(common).toMatchObject({ album: 'Crossings', copyright: '2026 Harbor' });
      const end = await get(item.url, { range: 'bytes=-100' });
      expect([end.status, end.body.equals(whole.body.subarray(-100))]).toEqual([206, true]);
      if (name !== 'sixteen.wav') return;
      const samples = await server.operator.media.read((await keyOf(name))!, undefined);
      const wav = Buffer.concat(await samples.toArray());
      const start = wav.indexOf('data') + 8;
      const hash = createHash('md5').update(
        wav.subarray(start, start + wav.readUInt32LE(start - 4)),
      );
      expect(whole.body.subarray(26, 42).equals(hash.digest())).toBe(true);
    },
  );

  const keyOf = async (name: Name) =>
    (await server.operator.store.catalog.trackAudio(idOf(name)))?.audioKey;

  it('are made of stems, too', async () => {
    const number = await license('twenty-four.aiff');
    const { data } = await request(number, { format: 'wav', parts: true });
    const [track, stem] = data.items;
    expect([track.bytes === null, stem.bytes]).toEqual([false, null]);
    await server.until(async () => (await get(stem.url)).status === 200);
    expect(await decoded((await get(stem.url)).body, 'stem.wav')).toEqual(
      decodeByFfmpeg(join(folder.path, 'twenty-four.aiff')),
    );
  });

  it('are refused as a whole for lossy files, and FLAC for floating point, with all such tracks', async () => {
    const number = await license('sixteen.wav', 'lossy.mp3', 'lossy.ogg', 'float.wav');
    const refused = async (format: string) => {
      const { status, error } = await request(number, { format });
      return [status, error.details!.map(({ message }: { message: string }) => message)];
    };
    const lossy = (i: number, kind: string, format: string) =>
      `tracks[${i}] is delivered as ${kind} and is not converted to ${format}: its samples cannot be decoded without a loss; ask for the format original or mp3`;
    expect(await refused('wav')).toEqual([409, [lossy(1, 'mp3', 'wav'), lossy(2, 'ogg', 'wav')]]);
    expect(await refused('flac')).toEqual([
      409,
      [
        lossy(1, 'mp3', 'flac'),
        lossy(2, 'ogg', 'flac'),
        expect.stringContaining('tracks[3] is delivered as wav and is not converted to flac: FLAC'),
      ],
    ]);
  });

  it('of a test license are checked, and give its clip', async () => {
    const client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    const test = await client.token();
    const { number } = await sell(server, test, {
      tracks: [idOf('sixteen.wav'), idOf('lossy.mp3')],
    });
    const asked = (tracks: string[]) =>
      server.call('createDownloads', {
        ...{ token: test, params: { number }, body: { tracks, format: 'flac' } },
      });
    expect((await asked([idOf('lossy.mp3')])).status).toBe(409);
    const { data } = await asked([idOf('sixteen.wav')]);
    expect(data.items).toMatchObject([{ fileName: 'TEST - Artist 0 - Night Ferry.mp3' }]);
  });
});
