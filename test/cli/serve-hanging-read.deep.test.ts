import { closeSync, constants, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { makeHangingAudio } from '../harness/hanging-audio.ts';
import { until } from '../harness/until.ts';

it('a read that hangs does not keep the service from ending', async () => {
  using folder = temporaryFolder();
  const pipe = await makeHangingAudio(folder);
  const client = await staveJson(folder.at('data'), [
    'clients',
    'create',
    '-n',
    'A',
    '-s',
    'tracks',
  ]);
  await using service = await serve(folder.at('data'));
  const token = await service.token(client.clientId, client.liveSecret);
  const { body } = await service.get('/v1/tracks', token);
  const end = new AbortController();
  const playing = fetch(body.data.items[0].streamUrl, { signal: end.signal }).catch(() => {});
  let writer: number | undefined;
  await until(() => {
    writer = openedToWrite(pipe);
    return writer !== undefined;
  }, 'the service to read the audio');
  // The pipe stays open, and nothing is written.
  expect(await service.stop()).toBeNull();
  expect(service.child.signalCode).toBe('SIGKILL');
  expect(service.output()).toContain('the stop took too long');
  closeSync(writer!);
  end.abort();
  await playing;
});

/** Opens a pipe to write to it; undefined while nobody reads it. */
function openedToWrite(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
