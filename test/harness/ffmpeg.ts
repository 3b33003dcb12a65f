import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The ffmpeg of this machine; undefined if there is none. */
export const FFMPEG: string | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'ffmpeg'))
  .find((path) => existsSync(path));

/** Audio as another decoder than that of Stave decodes it. */
export interface Decoded {
  sampleRate: number;
  /** One array of samples for each channel, -1 to 1. */
  channels: Float32Array[];
}

/** Decodes the first audio stream of a file by ffmpeg. Throws if it decodes nothing. */
export function decodeByFfmpeg(path: string): Decoded {
  const file = run(['-i', path, '-map', '0:a:0', '-c:a', 'pcm_f32be', '-f', 'au', '-']);
  // The header of a .au file: a magic number, the offset of the data, its size, the encoding, …
  const start = file.readUInt32BE(4);
  const sampleRate = file.readUInt32BE(16);
  const count = file.readUInt32BE(20);
  const frames = Math.floor((file.length - start) / 4 / count);
  if (frames === 0) throw new Error(`ffmpeg decodes nothing of ${path}`);
  return {
    sampleRate,
    channels: Array.from({ length: count }, (_, channel) =>
      Float32Array.from({ length: frames }, (_, i) =>
        file.readFloatBE(start + 4 * (i * count + channel)),
      ),
    ),
  };
}

/** Makes an audio file with these arguments of ffmpeg, of which the last one is its path. */
export function makeByFfmpeg(...options: string[]): void {
  run(['-y', ...options]);
}

function run(options: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(FFMPEG!, ['-nostdin', '-v', 'error', ...options], {
    maxBuffer: 2 ** 31,
  });
  if (status !== 0 || (options.at(-1) === '-' && stdout.length === 0)) {
    throw new Error(`ffmpeg ${options.join(' ')}: ${stderr}`);
  }
  return stdout;
}
