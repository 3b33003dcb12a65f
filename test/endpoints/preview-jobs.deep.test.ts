import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { RenditionQueue } from '../../src/features/renditions/rendition-queue.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a server that makes previews, with an empty catalog. */
async function start(previewThreads = 1) {
  const server = await startTestServer({ tracks: [], config: { previewThreads } });
  ends.push(() => server.close());
  const { store, media } = server.operator;
  const audio = async (seconds: number) =>
    (await media.putBytes(wavFile([tone(seconds, 44_100)]), 'wav')).key;
  const done = async (count: number) => until(async () => (await counts()).done === count);
  const counts = () => store.renditions.counts();
  return { server, store, media, audio, done, counts };
}

/** Delivers tracks with these audio files; the nth track has the nth. */
async function deliver(server: TestServer, audioKeys: readonly string[]): Promise<void> {
  const tracks = deliveries(audioKeys.length);
  await server.deliver(tracks.map((track, n) => ({ ...track, audioKey: audioKeys[n]! })));
}

it('makes the previews of imported tracks, once for equal audio', async () => {
  const { server, store, media, audio, done, counts } = await start();
  await server.createClient({ features: ['previews'] });
  const key = await audio(2);
  await deliver(server, [key, key]);
  await done(3);
  const made = await store.renditions.ofAudio(key);
  expect(made.map(({ kind, attempts, error }) => ({ kind, attempts, error }))).toEqual(
    ['preview', 'waveform', 'waveform-dat'].map((kind) => ({ kind, attempts: 1, error: null })),
  );
  const bytes = await Promise.all(
    made.map(async ({ file }) => Buffer.concat(await (await media.read(file!.mediaKey)).toArray())),
  );
  expect(made.map(({ file }) => file!.mediaKey.split('.')[1])).toEqual(['mp3', 'jgz', 'dat']);
  expect(made.map(({ file }) => file!.sizeBytes)).toEqual(bytes.map(({ length }) => length));
  expect(JSON.parse(gunzipSync(bytes[1]!).toString())).toMatchObject({ version: 2, length: 173 });
  expect(await counts()).toEqual({ queued: 0, running: 0, done: 3, failed: 0 });
});

it('makes them on two nodes, each file once', async () => {
  const { server, store, audio, done } = await start();
  const { config, clock } = server;
  const second = await startService({ config: { ...config, port: 0 }, clock, log: silentLog });
  ends.push(() => second.close());
  await server.createClient({ features: ['previews'] });
  await until(async () => (await store.renditions.nodes()).length === 2);
  const keys = await Promise.all([1, 2, 3, 4].map(audio));
  await deliver(server, keys);
  await done(12);
  for (const key of keys) {
    const attempts = (await store.renditions.ofAudio(key)).map((one) => one.attempts);
    expect(attempts).toEqual([1, 1, 1]);
  }
});

it('makes nothing and adds no jobs until a client has the feature, then also for older tracks', async () => {
  const { server, store, audio, done, counts } = await start();
  const client = await server.createClient({ features: ['changes'] });
  const token = await client.token();
  await deliver(server, [await audio(1)]);
  // The node has seen the import.
  await until(async () => {
    const { data } = await server.call('listTracks', { token });
    return data.totalRecords === 1;
  });
  expect(await counts()).toEqual({ queued: 0, running: 0, done: 0, failed: 0 });
  await server.createClient({ features: ['previews'] });
  await done(3);
  expect(await store.renditions.nodes()).toMatchObject([
    { formats: expect.arrayContaining(['wav', 'mp3', 'flac']) },
  ]);
});

it('makes those of the new audio of a track, and none of a track that is taken down', async () => {
  const { server, store, audio, done, counts } = await start(0);
  await server.createClient({ features: ['previews'] });
  const [first, second, third] = await Promise.all([1, 2, 3].map(audio));
  await deliver(server, [first!, second!]);
  await until(async () => (await counts()).queued === 6);
  const [track, other] = deliveries(2);
  await setTrackState(store, other!.id, 'taken_down', 'test:harness');
  await until(async () => (await counts()).queued === 3);
  expect(await store.renditions.ofAudio(second!)).toEqual([]);
  await server.deliver([{ ...track!, audioKey: third! }]);
  await until(async () => (await store.renditions.ofAudio(third!)).length === 3);
  await setTrackState(store, other!.id, 'live', 'test:harness');
  await until(async () => (await store.renditions.ofAudio(second!)).length === 3);
  await done(0);
});

it('leaves what it is making to other nodes as soon as it drains, before its requests end', async () => {
  const { server, store, media } = await start();
  const { clientId } = await server.createClient({ features: ['previews'] });
  const { key } = await media.putBytes(wavFile([tone(240, 44_100)], { bits: 8 }), 'wav');
  await deliver(server, [key]);
  await until(async () => (await store.renditions.counts()).running === 3);
  // A request whose body does not come keeps the node from closing.
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  ends.push(async () => socket.destroy());
  const head = ['POST /v1/auth/token HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
  socket.write([...head, 'Content-Length: 100', '', JSON.stringify({ clientId })].join('\r\n'));
  // Its beginning has arrived when a later one has its response.
  await fetch(`${server.address}/health-check`);
  let isClosed = false;
  const closed = server.service.close().then(() => {
    isClosed = true;
  });
  await until(async () => (await store.renditions.counts()).queued === 3);
  expect(isClosed).toBe(false);
  socket.destroy();
  await closed;
});

it('makes what a request waits for on another node', async () => {
  const { server, store, audio } = await start();
  await server.createClient({ features: ['previews'] });
  const key = await audio(1);
  await until(async () => (await store.renditions.nodes()).length === 1);
  const queue = new RenditionQueue({ store: store.renditions });
  const sound = { audioKey: key, previewStart: 0, previewKey: null, waveformKey: null };
  expect(await queue.ensure(sound, 'preview', 60_000)).toMatchObject({ state: 'done' });
});

it('warns at the start of an ffmpeg that cannot be executed', async () => {
  const warn = vi.fn();
  const server = await startTestServer({
    tracks: [],
    log: { ...silentLog, warn },
    config: { previewThreads: 1, ffmpeg: { setting: '/nonexistent', searchPath: '' } },
  });
  ends.push(() => server.close());
  await until(() =>
    warn.mock.calls.some(([fields, message]) => {
      return fields.path === '/nonexistent' && message.startsWith('STAVE_FFMPEG names no program');
    }),
  );
});
