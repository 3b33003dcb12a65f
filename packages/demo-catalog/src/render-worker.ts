import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { RenderedFile, RenderedTrack } from './render.ts';
import { encodeWav, secondsOf } from './synth/wav.ts';
import { TRACKS } from './tracks.ts';

const { folder } = workerData as { folder: string };

parentPort!.on('message', (index: number) => {
  const track = TRACKS[index]!;
  const mix = track.render();
  const sounds = track.renderParts(mix);
  const rendered: RenderedTrack = {
    id: track.id,
    ...write(track.file, encodeWav(mix)),
    parts: track.parts.map(({ file }, i) => write(file, encodeWav(sounds[i]!))),
  };
  parentPort!.postMessage(rendered);
});

function write(file: string, wav: Buffer): RenderedFile {
  writeFileSync(join(folder, file), wav);
  const sha256 = createHash('sha256').update(wav).digest('hex');
  return { file, seconds: secondsOf(wav), sha256 };
}
