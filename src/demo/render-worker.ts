import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { generateArtwork } from '../media/artwork/generate.ts';
import type { Rendered } from './render.ts';
import { SAMPLE_RATE } from './synth/sound.ts';
import { encodeWav } from './synth/wav.ts';
import { DEMO_TRACKS } from './tracks.ts';

const { folder } = workerData as { folder: string };

parentPort!.on('message', async (index: number) => {
  const track = DEMO_TRACKS[index]!;
  const sound = track.render();
  const mediaKeys = [write(track.audio, encodeWav(sound))];
  if (track.artwork !== null) {
    mediaKeys.push(write(track.artwork, await generateArtwork(`demo: ${track.name}`)));
  }
  const rendered: Rendered = { index, seconds: sound.left.length / SAMPLE_RATE, mediaKeys };
  parentPort!.postMessage(rendered);
});

/** Writes the file and tells the key that the media store will give it. */
function write(name: string, bytes: Buffer): string {
  writeFileSync(join(folder, name), bytes);
  return `${createHash('sha256').update(bytes).digest('hex')}.${name.slice(name.lastIndexOf('.') + 1)}`;
}
