import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { AUDIO, usePartsServer } from '../../../../test/harness/parts-server.ts';
import { errorOf } from '../../../../test/harness/preview-server.ts';
import { ON_POSTGRES } from '../../../../test/harness/services.ts';
import { SparseFile } from '../../../../test/harness/sparse-file.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { ALL_SCOPES } from '../../../common/caller.ts';

const run = promisify(execFile);

const NAMES = [
  'stems/01-drums.wav',
  'stems/02-drums.wav',
  'stems/03-bass.wav',
  'stems/04-backing-vocals.wav',
  'stems/05-fx.wav',
  'stems/06-keys.wav',
  'stems/07-synth.wav',
  'stems/08-strings.wav',
  'stems/09-brass.wav',
  'stems/10-melody.wav',
  'stems/11-harmony.wav',
  'stems/12-other.wav',
  'versions/01-cutdown.wav',
  'versions/02-instrumental.wav',
];

describe('streamArchive', () => {
  const started = usePartsServer();
  const open: IncomingMessage[] = [];
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-archive-'));
  });
  afterEach(async () => {
    for (const response of open.splice(0)) response.destroy();
    // The places are then free.
    await started().server.until(async () => (await timesOpen('.wav')) === 0);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Requests a URL, and returns the response without reading its body. */
  const begin = (url: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(url, { agent: false }, (response) => {
        open.push(response);
        response.on('error', () => {});
        resolve(response);
      }).on('error', reject);
    });

  /** The number of times that this process has media files open whose keys end with a text. */
  async function timesOpen(key: string): Promise<number> {
    const names = await readdir('/proc/self/fd');
    const links = await Promise.all(
      names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
    );
    return links.filter((link) => link.endsWith(key)).length;
  }

  it('sends all parts without the mix, in the announced length', async () => {
    const { show, get } = started();
    const { headers, status, body } = await get((await show()).archiveUrl);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(body.length),
      'accept-ranges': 'none',
      'content-disposition':
        'attachment; filename="Artist 0 - Night Ferry.zip"; filename*=UTF-8\'\'Artist%200%20-%20Night%20Ferry.zip',
    });
    const path = join(folder, 'a.zip');
    await writeFile(path, body);
    expect((await run('unzip', ['-t', path])).stdout).toContain('No errors detected');
    const { stdout } = await run('unzip', ['-Z1', path]);
    expect(stdout.trim().split('\n')).toEqual(NAMES.map((name) => `night-ferry/${name}`));
    for (const [i, name] of NAMES.entries()) {
      const args = ['-p', path, `night-ferry/${name}`];
      const { stdout: bytes } = await run('unzip', args, { encoding: 'buffer' });
      expect(bytes.equals(AUDIO[i]!), name).toBe(true);
    }
    expect(await run('unzip', ['-v', path])).toMatchObject({
      stdout: expect.not.stringContaining('Defl'),
    });
  });

  it('ignores ranges', async () => {
    const { show, get } = started();
    const { archiveUrl } = await show();
    const whole = await get(archiveUrl, { headers: { Range: 'bytes=0-9' } });
    expect(whole.status).toBe(200);
    expect(String(whole.body.length)).toBe(whole.headers['content-length']);
  });

  /** Returns the URL of an archive for another client. */
  async function urlOfAnother(slug: string): Promise<string> {
    const { server } = started();
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['stems'] });
    const token = await client.token();
    return (await server.call('listStems', { token, params: { slug } })).data.archiveUrl;
  }

  it('sends four at a time, and refuses a fifth until one has ended', async () => {
    const { withLargeStem, show, get, server } = started();
    const { archiveUrl: large, trackId } = await withLargeStem(5, 500_000_000);
    const other = await urlOfAnother(trackId);
    const four = await Promise.all([large, large, other, other].map(begin));
    expect(four.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const archiveUrl = await urlOfAnother('night-ferry');
    const fifth = await get(archiveUrl);
    expect(errorOf(fifth)).toEqual([503, 'unavailable']);
    expect(fifth.headers['retry-after']).toBe('60');
    // What sends no archive needs no place.
    expect((await get(archiveUrl, { method: 'HEAD' })).status).toBe(200);
    const again = await get(archiveUrl, { headers: { 'If-None-Match': '*' } });
    expect(again.status).toBe(304);

    four[0]!.destroy();
    await server.until(async () => (await get(archiveUrl)).status === 200);
    // Of each place that is left, one.
    expect((await begin(large)).statusCode).toBe(200);
    expect((await get((await show()).archiveUrl)).status).toBe(503);
    expect((await get(archiveUrl)).status).toBe(503);
  });

  it('sends two to a client, and leaves the other places to others', async () => {
    const { withLargeStem, show, get, server } = started();
    const { archiveUrl: large } = await withLargeStem(9, 500_000_000);
    const two = await Promise.all([large, large].map(begin));
    expect(two.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const { archiveUrl } = await show();
    const third = await get(archiveUrl);
    expect(errorOf(third)).toEqual([503, 'unavailable']);
    expect(third.headers['retry-after']).toBe('60');
    expect((await get(await urlOfAnother('night-ferry'))).status).toBe(200);
    two[0]!.destroy();
    await server.until(async () => (await get(archiveUrl)).status === 200);
  });

  it('looks up no file without a place, and leaves its place if a file is missing', async () => {
    const { withLargeStem, show, get, server, stems } = started();
    const { archiveUrl: large } = await withLargeStem(10, 500_000_000);
    const lost = { ...stems[0]!, audioKey: `${'0'.repeat(64)}.wav` };
    await server.deliver([delivery(11, { stems: [lost] })]);
    const { archiveUrl } = await show(delivery(11).id);
    const retryAfter = async () => (await get(archiveUrl)).headers['retry-after'];
    for (let i = 0; i < 6; i++) expect(await retryAfter()).toBe('30');
    await Promise.all([large, large].map(begin));
    expect(await retryAfter()).toBe('60');
    expect((await get(archiveUrl, { method: 'HEAD' })).status).toBe(200);
  });

  it('does not read ahead of a client that reads nothing, and closes the file when it leaves', async () => {
    const { withLargeStem, server } = started();
    const { archiveUrl, audioKey, trackId } = await withLargeStem(6, 2_000_000_000);
    const urls = [archiveUrl, archiveUrl];
    urls.push(...Array(2).fill(await urlOfAnother(trackId)));
    const before = process.memoryUsage().arrayBuffers;
    const waiting = await Promise.all(urls.map(begin));
    await server.until(async () => (await timesOpen(audioKey)) === 4);
    // Other requests are served meanwhile, and give the archives turns.
    for (let turn = 0; turn < 50; turn++) await server.http.send('GET', '/version');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
    for (const response of waiting) response.destroy();
    await server.until(async () => (await timesOpen(audioKey)) === 0);
    const next = await Promise.all(urls.map(begin));
    expect(next.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  });

  it('completes a download that began before a takedown', async () => {
    const { withLargeStem, get, server } = started();
    const { archiveUrl } = await withLargeStem(7, 50_000_000);
    const response = await begin(archiveUrl);
    const { store } = server.operator;
    await setTrackState(store, delivery(7).id, 'taken_down', 'test:harness');
    expect(errorOf(await get(archiveUrl))).toEqual([410, 'gone']);
    let length = 0;
    for await (const chunk of response) length += chunk.length;
    expect(String(length)).toBe(response.headers['content-length']);
    await setTrackState(store, delivery(7).id, 'live', 'test:harness');
  });

  it.skipIf(ON_POSTGRES)(
    'sends more than 4 GB with flat memory, in the announced length',
    async () => {
      const { withLargeStem } = started();
      const sizeBytes = 2 ** 32 + 1_000_000;
      const { archiveUrl } = await withLargeStem(8, sizeBytes);
      const before = process.memoryUsage().arrayBuffers;
      const response = await begin(archiveUrl);
      const path = join(folder, 'large.zip');
      const written = await SparseFile.create(path);
      let [most, chunks, at, start, crc] = [0, 0, 0, 0, 0];
      const measured = async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          if (chunks++ % 1_000 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
          // The header of the only file, its name and its extra fields (APPNOTE 4.3.7).
          if (at === 0) start = 30 + chunk.readUInt16LE(26) + chunk.readUInt16LE(28);
          crc = crc32(
            chunk.subarray(Math.max(0, start - at), Math.max(0, start + sizeBytes - at)),
            crc,
          );
          at += chunk.length;
          yield chunk;
        }
      };
      await pipeline(response, measured, written);
      expect(most - before).toBeLessThan(128_000_000);
      expect(String(written.length)).toBe(response.headers['content-length']);
      // The directory is read by another program; to test 4 GB with it takes a minute.
      const { stdout } = await run('unzip', ['-Zv', path]);
      expect(stdout).toContain('stems/01-other.wav\n');
      expect(stdout).toMatch(new RegExp(`uncompressed size: +${sizeBytes} bytes`));
      expect(/32-bit CRC value \(hex\): +(\w+)/.exec(stdout)![1]).toBe(
        crc.toString(16).padStart(8, '0'),
      );
    },
    300_000,
  );
});
