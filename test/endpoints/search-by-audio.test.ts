import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzeAudio } from '../../src/engines/audio/sound/analyze-audio.ts';
import { deliveries } from '../harness/catalog.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../harness/import-bench.ts';
import { giveSounds } from '../harness/sounds.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';

const AUDIO = wav(40_000);
const FILE = { 'Content-Type': 'audio/x-wav' };

let server: TestServer;
beforeAll(async () => {
  const sounds = new Map<string, Int8Array>();
  const { vector } = await analyzeAudio(blocksOf(AUDIO));
  const tracks = deliveries(8).map((track, i) => {
    const audioKey = `${String(i).padStart(64, '0')}.wav`;
    // The first one is the example, and every further one is less like it.
    sounds.set(audioKey, vector.map((number, k) => (k < i * 5 ? -number : number)) as Int8Array);
    return { ...track, audioKey };
  });
  server = await startTestServer({ tracks, config: { analysis: true, previewThreads: 0 } });
  await giveSounds(server.operator.store, sounds);
  const token = await newToken();
  await until(async () => (await search({ token })).data.items?.length > 0);
});
afterAll(() => server?.close());

async function* blocksOf(file: Buffer) {
  const samples = new Int16Array(file.buffer, file.byteOffset + 44, (file.length - 44) / 2);
  yield { sampleRate: 8_000, channels: [Float32Array.from(samples, (one) => one / 32_768)] };
}

async function newToken(): Promise<string> {
  const client = await server.createClient({ scopes: ['similar'], features: ['similar'] });
  return client.token();
}

async function search({
  token,
  body = AUDIO,
  query = {},
  to = server,
}: {
  token?: string;
  body?: Buffer;
  query?: Record<string, string | number | boolean>;
  to?: TestServer;
} = {}) {
  const sent = token ?? (await newToken());
  return to.call('searchByAudio', { token: sent, body, query, headers: FILE });
}

const problemOf = async (body: Buffer) => {
  const { status, error } = await search({ body });
  expect(status).toBe(400);
  expect(error.details?.[0]?.field).toBe('body');
  return error.message;
};

describe('POST /v1/search/by-audio', () => {
  it('finds the tracks that sound like a file, the most alike first', async () => {
    const { status, data } = await search();
    expect(status).toBe(200);
    expect(data.items[0]).toMatchObject({ score: 1, reasons: { sound: 1, genre: null } });
    const scores = data.items.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  });

  it('restricts the tracks', async () => {
    const { data } = await search({ query: { type: 'sfx', limit: 1 } });
    for (const { track } of data.items) expect(track.type).toBe('sfx');
    const { data: none } = await search({ query: { filterSlugs: 'clam' } });
    expect(none).toMatchObject({ items: [], warnings: [{ field: 'filterSlugs' }] });
  });

  it.each([
    ['bpmRange', 5],
    ['by', 'sound'],
    ['limit', 101],
  ])('refuses %s=%s', async (name, value) => {
    const { status, error } = await search({ query: { [name]: value } });
    expect({ status, field: error.details?.[0]?.field }).toEqual({ status: 400, field: name });
  });

  it('says what is wrong with the audio', async () => {
    const silence = Buffer.concat([AUDIO.subarray(0, 44), Buffer.alloc(AUDIO.length - 44)]);
    expect(await problemOf(silence)).toContain('silent');
    expect(await problemOf(Buffer.from('no audio at all'))).toContain('format');
    expect(await problemOf(AUDIO.subarray(0, 40))).toMatch(/audio|damaged/);
    expect(await problemOf(Buffer.alloc(0))).toContain('empty');
  });

  it('says that the end of a file is missing', async () => {
    expect(await problemOf(AUDIO.subarray(0, AUDIO.length / 2))).toContain('its end is missing');
    // A tag after the audio is not the audio.
    const tag = Buffer.from('LIST\x40\0\0\0INFO', 'latin1');
    expect((await search({ body: Buffer.concat([AUDIO, tag]) })).status).toBe(200);
  });

  it.skipIf(!HAS_SHARED_DATA).each(['flac', 'wav', 'ogg', 'opus', 'mp3', 'm4a', 'mp4', 'aiff'])(
    'refuses half a file of %s (skipped without ../shared/data)',
    async (form) => {
      const whole = await readFile(join(SHARED_DATA, `audio/music/galway.${form}`));
      const half = whole.subarray(0, whole.length / 2);
      expect(await problemOf(half)).toContain('its end is missing');
      // ffmpeg decodes the others, which tests may not have.
      if (/^m/.test(form) && form !== 'mp3') return;
      expect((await search({ body: whole })).status).toBe(200);
    },
  );

  it.skipIf(!HAS_SHARED_DATA).each(['flac', 'mp3'])(
    'refuses a file of %s that is damaged in its middle (skipped without ../shared/data)',
    async (form) => {
      const damaged = await readFile(join(SHARED_DATA, `audio/music/galway.${form}`));
      const middle = Math.floor(damaged.length / 2);
      damaged.fill(0, middle, middle + 20_000);
      expect(await problemOf(damaged)).toContain('damaged');
    },
  );

  it('takes ten files a minute of a client', async () => {
    const token = await newToken();
    for (let i = 0; i < 10; i++) {
      expect((await search({ token, body: Buffer.from('none') })).status).toBe(400);
    }
    const { status, error, headers } = await search({ token });
    expect({ status, type: error.type }).toEqual({ status: 429, type: 'rate_limited' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await search()).status).toBe(200);
  });

  it('refuses a third file of a client before its body, and what is too long at once', async () => {
    const token = await newToken();
    const open = (length: number) => {
      const outgoing = request(`${server.address}/v1/search/by-audio`, {
        method: 'POST',
        headers: {
          ...FILE,
          Authorization: `Bearer ${token}`,
          'Content-Length': length,
          Expect: '100-continue',
        },
      });
      const outcome = new Promise<number>((resolve, reject) => {
        outgoing.once('continue', () => resolve(100));
        outgoing.once('response', (response) => resolve(response.statusCode!));
        outgoing.once('error', reject);
      });
      outgoing.flushHeaders();
      return { outgoing, outcome };
    };
    expect(await open(21 * 1_048_576).outcome).toBe(413);
    const first = [open(1_000_000), open(1_000_000)];
    expect(await Promise.all(first.map(({ outcome }) => outcome))).toEqual([100, 100]);
    expect(await open(1_000_000).outcome).toBe(429);
    for (const { outgoing } of first) outgoing.on('error', () => {}).destroy();
    await until(async () => (await search({ token })).status === 200);
  });

  it('keeps no file', async () => {
    await search();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('stave-example'))).toEqual([]);
  });

  it('is 409 if audio is not analyzed', async () => {
    const off = await startTestServer({ tracks: [] });
    try {
      const client = await off.createClient({ scopes: ['similar'], features: ['similar'] });
      const { status, error } = await search({ to: off, token: await client.token() });
      expect({ status, type: error.type }).toEqual({ status: 409, type: 'conflict' });
    } finally {
      await off.close();
    }
  });
});
