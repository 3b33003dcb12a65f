import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import { renditionsOf } from '../../src/features/renditions/rendition.ts';
import {
  openStoreOf,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { delivery, importAll } from '../harness/deliveries.ts';

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

async function finding(env: Record<string, string> = {}) {
  const { code, json } = await stave(data, ['doctor', '--json'], { env });
  expect(code).toBe(0);
  return json.findings.find(({ check }: { check: string }) => check === 'previews');
}

it('warns of previews that nothing makes, once a client has the feature', async () => {
  const features = ['--features', 'previews', '--scopes', 'tracks'];
  const store = await openStoreOf(data);
  const media = await openDiskMediaStore({ folder: join(data, 'media') });
  const { key: audioKey } = await media.putBytes(Buffer.from('no audio'), 'm4a');
  const sound = { audioKey, previewStart: null, previewKey: null, waveformKey: null };
  await store.renditions.add(renditionsOf(sound));
  expect(await finding()).toMatchObject({ status: 'ok', detail: 'off: no client has the feature' });
  await staveJson(data, ['clients', 'create', '--name', 'Acme', ...features]);
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail: '3 files queued, and no running node makes them',
    advice: expect.stringContaining('STAVE_PREVIEW_THREADS'),
  });
  expect(await finding({ STAVE_FFMPEG: folder.at('none') })).toMatchObject({
    status: 'warning',
    detail: `${folder.at('none')} cannot be executed`,
  });
  await store.renditionClaims.see({ node: 'a', formats: ['mp3'] });
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail: 'some queued files need what no running node has: m4a',
    advice: expect.stringContaining('ffmpeg'),
  });
  await store.renditionClaims.see({ node: 'b', formats: ['m4a', 'ffmpeg'] });
  expect(await finding()).toMatchObject({ status: 'ok', detail: '2 nodes make them, 3 queued' });
  const claim = await store.renditionClaims.claim('b 0', ['m4a'], 60_000);
  await store.renditionClaims.fail(claim!, 'the audio is damaged', false);
  // No track needs them, for example because its audio was replaced.
  expect(await finding()).toMatchObject({ status: 'ok', detail: '2 nodes make them, 0 queued' });
  await importAll(store, [delivery(1, { audioKey })]);
  expect(await finding()).toMatchObject({ status: 'warning', detail: '3 files failed' });
  await store.close();
});
