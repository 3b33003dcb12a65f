import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { makeHangingAudio } from '../harness/hanging-audio.ts';
import { until } from '../harness/until.ts';

/** Whether the data folder can lie on a disk that other hosts may use, too. */
const canShare =
  process.getuid?.() === 0 &&
  existsSync('/dev/fuse') &&
  spawnSync('bindfs', ['--version']).status === 0;

it('a read that hangs does not keep the service from ending, nor other hosts from using the folder', async () => {
  using folder = temporaryFolder();
  using disk = temporaryFolder();
  using shared = new DisposableStack();
  if (canShare) {
    mkdirSync(folder.at('data'));
    execFileSync('bindfs', [disk.path, folder.at('data')]);
    shared.defer(() => execFileSync('umount', ['-l', folder.at('data')]));
  }
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
  // The reader of its headers, another process, may open the pipe first.
  await until(() => {
    writer ??= openedToWrite(pipe);
    return isOpenIn(service.child.pid!, pipe);
  }, 'the service to read the audio');
  // The pipe stays open, and nothing is written.
  expect(await service.stop()).toBeNull();
  expect(service.child.signalCode).toBe('SIGKILL');
  expect(service.output()).toContain('the stop took too long');
  if (canShare) {
    using record = new DatabaseSync(disk.at('lock.db'));
    expect(record.prepare('SELECT facts FROM holder').all()).toEqual([]);
  }
  closeSync(writer!);
  end.abort();
  await playing;
});

/** Whether a process has opened a file. */
function isOpenIn(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((descriptor) => {
    try {
      return readlinkSync(`${folder}/${descriptor}`) === path;
    } catch {
      return false;
    }
  });
}

/** Opens a pipe to write to it; undefined while nobody reads it. */
function openedToWrite(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
