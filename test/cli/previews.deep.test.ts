import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import { mediaPath } from '../../src/engines/blobs/media-store.ts';
import type { TrackSound } from '../../src/features/renditions/rendition.ts';
import {
  openStoreOf,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { wav } from '../harness/wav.ts';

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

/** Imports tracks with these audio files, of which the media store has the bytes. The names are the slugs. */
async function importAudio(files: Record<string, Buffer>): Promise<void> {
  const media = await openDiskMediaStore({ folder: join(data, 'media') });
  const tracks = Object.entries(files).map(async ([name, bytes], n) => {
    const [slug, extension] = name.split('.');
    const { key } = await media.putBytes(bytes, extension!);
    return delivery(n, { name: slug!, audioKey: key });
  });
  const store = await openStoreOf(data);
  await importAll(store, await Promise.all(tracks));
  await store.close();
}

const status = () => staveJson(data, ['previews', 'status']);
const EMPTY = { queued: 0, running: 0, done: 0, failed: 0, nodes: [] };
/** What is no audio, although it has the name of one. */
const DAMAGED = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(200)]);

it('makes the previews of all tracks without a service, and says what failed', async () => {
  expect(await status()).toEqual(EMPTY);
  expect(await staveJson(data, ['previews', 'build'])).toEqual({ made: 0, failed: 0 });
  await importAudio({ 'one.wav': wav(800), 'two.wav': wav(1_600), 'bad.flac': DAMAGED });
  const built = await stave(data, ['previews', 'build', '--threads', '2', '--json']);
  expect(built).toMatchObject({ code: 0, stderr: '', json: { made: 6, failed: 3 } });
  expect(await status()).toEqual({ ...EMPTY, done: 6, failed: 3 });
  expect((await stave(data, ['previews', 'status'])).stdout).toBe(
    '0 queued, 0 running, 6 done, 3 failed\nno node makes them now\n',
  );
  const made = await staveJson(data, ['previews', 'show', 'one']);
  const done = { variant: '', state: 'done', attempts: 1, error: null };
  expect(made).toEqual({
    trackId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    renditions: ['preview', 'waveform', 'waveform-dat'].map((kind) => ({ kind, ...done })),
  });
  const bad = await staveJson(data, ['previews', 'show', 'bad']);
  expect(bad.renditions).toHaveLength(3);
  for (const one of bad.renditions) {
    expect(one).toMatchObject({ state: 'failed', attempts: 1, error: expect.any(String) });
  }
  const shown = await stave(data, ['previews', 'show', 'bad']);
  expect(shown.stdout).toContain('failed');
  expect((await stave(data, ['previews', 'show', 'none'])).code).toBe(1);
});

it('queues what failed again', async () => {
  await importAudio({ 'one.wav': wav(800), 'bad.flac': DAMAGED });
  await staveJson(data, ['previews', 'build']);
  expect(await staveJson(data, ['previews', 'retry'])).toEqual({ queued: 3, forgotten: 0 });
  expect(await staveJson(data, ['previews', 'retry'])).toEqual({ queued: 0, forgotten: 0 });
  expect(await status()).toEqual({ ...EMPTY, queued: 3, done: 3 });
  expect((await stave(data, ['previews', 'retry'])).stdout).toBe(
    'queued 0 files, and forgot 0 conversions that failed\n',
  );
  expect(await staveJson(data, ['previews', 'build'])).toEqual({ made: 0, failed: 3 });
});

it('makes what failed or was lost again only if it is asked to', async () => {
  await importAudio({ 'one.wav': wav(800), 'bad.flac': DAMAGED });
  expect(await staveJson(data, ['previews', 'build'])).toEqual({ made: 3, failed: 3 });
  const store = await openStoreOf(data);
  const [lost] = await store.renditions.madeAfter(undefined, 9);
  await store.close();
  rmSync(join(data, 'media', mediaPath(lost!.mediaKey)));
  const { json: doctor } = await stave(data, ['doctor', '--json']);
  expect(doctor.findings.find(({ check }: { check: string }) => check === 'media')).toMatchObject({
    status: 'failed',
    advice: expect.stringContaining('`stave previews build --all`'),
  });
  expect(await staveJson(data, ['previews', 'build'])).toEqual({ made: 0, failed: 0 });
  expect(await staveJson(data, ['previews', 'build', '--all'])).toEqual({ made: 1, failed: 3 });
  expect(await staveJson(data, ['doctor'])).toMatchObject({ healthy: true });
  expect(await staveJson(data, ['previews', 'build', '--all'])).toEqual({ made: 0, failed: 3 });
});

it('leaves what needs ffmpeg to a node that has it, and says so', async () => {
  await importAudio({ 'one.m4a': DAMAGED });
  const env = { STAVE_FFMPEG: 'off' };
  const built = await stave(data, ['previews', 'build', '--json'], { env });
  expect(built).toMatchObject({ code: 0, json: { made: 0, failed: 0 } });
  expect(built.stderr).toBe('what is left needs a node that decodes m4a\n');
  expect(await status()).toEqual({ ...EMPTY, queued: 3 });
});

it.each([['0'], ['65'], ['many']])('refuses %s threads', async (threads) => {
  const refused = await stave(data, ['previews', 'build', '--threads', threads]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('It must be a whole number from 1 to 64.');
});

it('fails if the audio cannot be read, and leaves what is queued', async () => {
  await importAudio({ 'one.wav': wav(800), 'two.wav': wav(1_600) });
  const store = await openStoreOf(data);
  const [{ audioKey }] = (await store.renditions.soundsAfter(0, 1))!.sounds as [TrackSound];
  await store.close();
  const path = join(data, 'media', mediaPath(audioKey!));
  const bytes = readFileSync(path);
  rmSync(path);
  const built = await stave(data, ['previews', 'build', '--json']);
  expect(built).toMatchObject({ code: 1, json: { made: 3, failed: 0 } });
  expect(built.stderr).toBe(
    '1 audio file could not be read to the end and stays queued; `stave doctor` names what is missing from the media store\n',
  );
  const { renditions } = await staveJson(data, ['previews', 'show', 'one']);
  expect(renditions[0]).toMatchObject({
    state: 'queued',
    attempts: 0,
    error: 'its audio is missing from the media store',
  });
  writeFileSync(path, bytes);
  expect(await staveJson(data, ['previews', 'build'])).toEqual({ made: 3, failed: 0 });
});
