import { open } from 'node:fs/promises';
import type { AudioBlock } from '../../../engines/audio/audio-block.ts';
import { decode } from '../../../engines/audio/decode.ts';
import { type AudioLength, encodeMp3 } from '../../../engines/audio/mp3/encode-mp3.ts';
import type { Mp3Kbps } from '../../../engines/audio/mp3/mp3-layout.ts';

export interface StreamRequest {
  /** A path that Stave chose. The extension decides the format if the content does not. */
  path: string;
  /** A new file, which grows by what is encoded. */
  target: string;
  kbps: Mp3Kbps;
  /** If it is unknown, the file is not valid before its end. */
  length: AudioLength | undefined;
}

/**
 * Encodes a file as an MP3 of constant bit rate, and returns the length of the MP3 in bytes. Calls `onProgress` with the
 * decoded seconds after each minute of audio. Throws a RenditionProblem.
 */
export async function makeStream(
  { path, target, kbps, length }: StreamRequest,
  ffmpeg: string | undefined,
  onProgress: (seconds: number) => void,
): Promise<number> {
  await using file = await open(target, 'wx', 0o600);
  const pieces = encodeMp3(telling(decode(path, ffmpeg), onProgress), kbps, length);
  let bytes = 0;
  for (;;) {
    const { done, value } = await pieces.next();
    const { bytesWritten } = await file.write(value, 0, value.length, done ? 0 : bytes);
    if (bytesWritten !== value.length) throw new Error('the file was not written to its end');
    if (done) return bytes;
    bytes += bytesWritten;
  }
}

/** Yields the blocks, and calls `onProgress`. */
async function* telling(
  blocks: AsyncIterable<AudioBlock>,
  onProgress: (seconds: number) => void,
): AsyncGenerator<AudioBlock> {
  let frames = 0;
  for await (const block of blocks) {
    yield block;
    const minutes = Math.floor(frames / block.sampleRate / 60);
    frames += block.channels[0]!.length;
    const seconds = frames / block.sampleRate;
    if (Math.floor(seconds / 60) > minutes) onProgress(seconds);
  }
}
