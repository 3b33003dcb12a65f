import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { beat } from '../harness/beat.ts';
import { type Json, serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { until } from '../harness/until.ts';
import { Caller } from './caller.ts';

it('analyzes audio by command and in the service, which fills and logs tempos', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const command = (...args: string[]): Promise<Json> => staveJson(data, args);
  const deliver = async (name: string, ...tracks: Json[]) => {
    writeFileSync(folder.at(name), ndjson(...tracks));
    await command('import', folder.at(name));
  };
  writeFileSync(folder.at('beat.wav'), beat(120));
  writeFileSync(folder.at('faster.wav'), beat(140));
  writeFileSync(folder.at('silence.wav'), wavFile([new Float32Array(44_100)]));
  writeFileSync(folder.at('damaged.wav'), 'RIFF\u0000\u0000\u0000\u0000WAVE');
  await deliver(
    'first.ndjson',
    record('1', { audio: 'beat.wav' }),
    record('2', { audio: 'silence.wav' }),
    record('3'),
  );
  expect(await command('sound', 'build')).toEqual({ made: 1, failed: 1 });
  expect(await command('sound', 'build')).toEqual({ made: 0, failed: 0 });
  expect(await command('sound', 'build', '--all')).toEqual({ made: 0, failed: 1 });
  const counts = { queued: 0, running: 0, analyzed: 1, failed: 1 };
  expect(await command('sound', 'status')).toEqual(counts);
  expect((await stave(data, ['sound', 'status'])).stdout).toBe(
    '0 queued, 0 running, 1 analyzed, 1 failed\n',
  );
  expect(await command('sound', 'show', 'track-1')).toMatchObject({
    detected: ['bpm'],
    found: { version: 1, tempo: { confidence: expect.any(Number) } },
    job: null,
  });
  expect((await stave(data, ['sound', 'show', 'track-1'])).stdout).toContain('fills           bpm');
  expect((await stave(data, ['sound', 'show', 'track-2'])).stdout).toBe(
    'failed: the audio is silent\n',
  );
  expect((await stave(data, ['sound', 'show', 'track-3'])).stdout).toBe('not analyzed\n');
  expect((await stave(data, ['sound', 'show', 'none'])).code).toBe(1);

  const client = await command('clients', 'create', '-n', 'Acme', '-s', 'tracks,search');
  await using service = await serve(data, { STAVE_ANALYSIS: 'on' });
  const caller = await Caller.login(service.url, client.clientId, client.testSecret);
  const track = async (slug: string) => caller.read(`/v1/tracks/${slug}`);
  expect(await track('track-1')).toMatchObject({ bpm: '120', detected: ['bpm'] });
  await deliver(
    'second.ndjson',
    record('4', { audio: 'faster.wav' }),
    record('5', { audio: 'beat.wav' }),
  );
  await until(async () => (await track('track-4')).detected.length > 0, 'a fill');
  expect(await track('track-4')).toMatchObject({ bpm: '140', detected: ['bpm'] });
  await until(async () => (await track('track-5')).bpm === '120', 'a fill of known audio');
  const slugs = async () =>
    (await caller.read('/v1/tracks?bpmMin=139&bpmMax=141')).items.map(({ slug }: Json) => slug);
  await until(async () => (await slugs()).join() === 'track-4', 'the filled track by its tempo');
  await deliver('third.ndjson', record('4', { audio: 'faster.wav', bpm: 70 }));
  await until(async () => (await track('track-4')).bpm === '70', 'the delivered tempo');
  expect(await track('track-4')).toMatchObject({ detected: [] });
  const log = await command('log', '--entity', 'track', '--limit', '3');
  expect(log[0]).toMatchObject({ kind: 'updated', changed: ['bpm', 'detected'] });
});
