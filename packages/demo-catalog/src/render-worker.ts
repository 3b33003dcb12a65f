import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type RenderedTrack, renderWav } from './render.ts';
import { secondsOf } from './synth/wav.ts';
import { TRACKS } from './tracks.ts';

const { folder } = workerData as { folder: string };

parentPort!.on('message', (index: number) => {
  const track = TRACKS[index]!;
  const wav = renderWav(track);
  writeFileSync(join(folder, track.file), wav);
  const sha256 = createHash('sha256').update(wav).digest('hex');
  const rendered: RenderedTrack = {
    id: track.id,
    file: track.file,
    seconds: secondsOf(wav),
    sha256,
  };
  parentPort!.postMessage(rendered);
});
