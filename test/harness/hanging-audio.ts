import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { mediaPath } from '../../src/engines/blobs/media-store.ts';
import { stave, type TemporaryFolder } from './cli.ts';

const AUDIO = `${'ab'.repeat(32)}.mp3`;

/** The path of the hanging audio within a data folder or a backup. */
const HANGING_AUDIO = `media/${mediaPath(AUDIO)}`;

/**
 * Makes the data folder `data` with a track whose audio is a pipe: a read of it never returns, as one of a disk that no longer
 * answers. Returns the path of the pipe.
 */
export async function makeHangingAudio(folder: TemporaryFolder): Promise<string> {
  const pipe = folder.at('data', HANGING_AUDIO);
  mkdirSync(dirname(pipe), { recursive: true });
  execFileSync('mkfifo', [pipe]);
  const record = { externalId: '1', name: 'Rain', type: 'music', durationSeconds: 60 };
  writeFileSync(folder.at('a.ndjson'), JSON.stringify({ ...record, audio: AUDIO }));
  const ran = await stave(folder.at('data'), ['import', folder.at('a.ndjson')]);
  if (ran.code !== 0) throw new Error(ran.stderr);
  return pipe;
}
