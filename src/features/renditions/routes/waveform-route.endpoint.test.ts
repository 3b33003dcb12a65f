import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { TRACKS, usePreviewServer } from '../../../../test/harness/preview-server.ts';
import { setPreviews } from '../../../../test/harness/track-previews.ts';
import { waveformDat } from '../rendition-files.ts';

const { sounding, silent, lost } = TRACKS;

/** A waveform with every value of a sample, that is longer than a chunk of a file. */
const IMPORTED = {
  sampleRate: 48_000,
  samplesPerPixel: 1024,
  data: Int8Array.from({ length: 200_000 }, (_, i) => i),
};

/** The waveform of a .dat file, as audiowaveform describes the format. */
function parseDat(file: Buffer) {
  expect(file.length).toBe(24 + 2 * file.readUInt32LE(16));
  return {
    version: file.readInt32LE(0),
    channels: file.readInt32LE(20),
    sample_rate: file.readInt32LE(8),
    samples_per_pixel: file.readInt32LE(12),
    bits: file.readUInt32LE(4) === 1 ? 8 : 16,
    length: file.readUInt32LE(16),
    data: [...new Int8Array(file.subarray(24))],
  };
}

describe('GET /media/waveform/{name}', () => {
  const started = usePreviewServer();
  beforeAll(async () => {
    const { open, whileMaking, server } = started();
    await whileMaking(() => open(sounding, 'waveformUrl'));
    const { key } = await server.operator.media.putBytes(waveformDat(IMPORTED), 'dat');
    await setPreviews(server, delivery(silent).id, { waveformKey: key });
    await setPreviews(server, delivery(lost).id, { waveformKey: `${'0'.repeat(64)}.dat` });
  });

  it('holds the minimum and the maximum of each bin, whatever is louder of the channels', async () => {
    const { open } = started();
    const json = JSON.parse((await open(sounding, 'waveformUrl')).body.toString());
    expect(Object.keys(json)).toEqual([
      'version',
      'channels',
      'sample_rate',
      'samples_per_pixel',
      'bits',
      'length',
      'data',
    ]);
    const { data, ...head } = json;
    expect(head).toEqual({
      version: 2,
      channels: 1,
      sample_rate: 44_100,
      samples_per_pixel: 512,
      bits: 8,
      length: Math.ceil((40 * 44_100) / 512),
    });
    expect(data).toHaveLength(2 * head.length);
    // The last second is the loudest: the mean of 40/41 and half of it, which meet.
    const last = data.slice(-2 * 80);
    expect(Math.max(...last)).toBeGreaterThan(80);
    expect(Math.min(...last)).toBeLessThan(-80);
    expect(Math.max(...data.slice(0, 160))).toBeLessThan(8);
  });

  it.each([
    ['made', sounding],
    ['imported', silent],
  ])('has the same numbers in both forms, if it was %s', async (_, number) => {
    const { open } = started();
    const dat = await open(number, 'waveformDataUrl');
    const json = await open(number, 'waveformUrl');
    expect(JSON.parse(json.body.toString())).toEqual(parseDat(dat.body));
  });

  describe.each([
    ['made', sounding],
    ['imported', silent],
  ])('as JSON, if it was %s', (how, number) => {
    it.each([
      [undefined, false],
      ['gzip', true],
      ['br, x-gzip;q=0.2', true],
      ['*', true],
      ['gzip;q=0', false],
      ['identity', false],
      ['*, gzip;q=0.0', false],
    ])('is compressed for Accept-Encoding: %s: %s', async (accepted, isGzipped) => {
      const { open } = started();
      const plain = await open(number, 'waveformUrl');
      const options = accepted === undefined ? {} : { headers: { 'Accept-Encoding': accepted } };
      const response = await open(number, 'waveformUrl', options);
      expect(response.status).toBe(200);
      expect(response.headers['content-encoding']).toBe(isGzipped ? 'gzip' : undefined);
      expect(response.headers.vary).toBe('Accept-Encoding');
      const body = isGzipped ? gunzipSync(response.body) : response.body;
      expect(body.equals(plain.body)).toBe(true);
      expect(response.headers.etag === plain.headers.etag).toBe(!isGzipped);
      if (!isGzipped || how === 'made') {
        expect(response.headers['content-length']).toBe(String(response.body.length));
      }
    });

    it('is revalidated by the tag of its coding alone', async () => {
      const { open } = started();
      const gzip = { 'Accept-Encoding': 'gzip' };
      const plainTag = (await open(number, 'waveformUrl')).headers.etag!;
      const gzipTag = (await open(number, 'waveformUrl', { headers: gzip })).headers.etag!;
      const statusFor = async (headers: Record<string, string>) => {
        const response = await open(number, 'waveformUrl', { headers });
        expect(response.headers.vary).toBe('Accept-Encoding');
        return response.status;
      };
      expect(await statusFor({ 'If-None-Match': plainTag })).toBe(304);
      expect(await statusFor({ 'If-None-Match': gzipTag })).toBe(200);
      expect(await statusFor({ 'If-None-Match': gzipTag, ...gzip })).toBe(304);
      expect(await statusFor({ 'If-None-Match': plainTag, ...gzip })).toBe(200);
      const matching = { 'If-Match': gzipTag, ...gzip };
      // A weak tag matches nothing.
      if (gzipTag.startsWith('"')) expect(await statusFor(matching)).toBe(200);
      else expect((await open(number, 'waveformUrl', { headers: matching })).status).toBe(412);
    });

    it('responds to HEAD like to GET, without the body', async () => {
      const { open } = started();
      for (const headers of [{}, { 'Accept-Encoding': 'gzip' }] as Record<string, string>[]) {
        const [got, head] = await Promise.all(
          ['GET', 'HEAD'].map((method) => open(number, 'waveformUrl', { method, headers })),
        );
        // A second may pass between both, which changes the age.
        const { date, 'x-request-id': id, 'transfer-encoding': _, ...expected } = got!.headers;
        const { 'cache-control': age, ...same } = expected;
        expect([date, id, age]).not.toContain(undefined);
        expect(head!.headers).toMatchObject(same);
        expect([head!.status, head!.body.length]).toEqual([200, 0]);
      }
    });
  });

  it('is unavailable in every form if the store lacks the imported file', async () => {
    const { open } = started();
    for (const member of ['waveformUrl', 'waveformDataUrl'] as const) {
      expect((await open(lost, member)).status).toBe(503);
    }
  });

  it('knows no other name', async () => {
    const { get, show } = started();
    const { waveformUrl } = await show(sounding);
    for (const name of ['.mp3', '.dat', '', '.json.gz', '.JSON']) {
      const response = await get(waveformUrl!.replace('.json', name), 'readWaveform');
      expect(response.status, name).toBe(403);
    }
  });
});
