import { closeSync, openSync } from 'node:fs';
import { RenditionProblem } from '../../../engines/audio/audio-block.ts';
import { audioFormat, FORMAT_BYTES } from '../../../engines/audio/audio-format.ts';
import { FileSource } from '../../../engines/audio/byte-source.ts';
import { decode, skipId3 } from '../../../engines/audio/decode.ts';
import { mpegLayer } from '../../../engines/audio/mp3-reader.ts';
import { FaultyFile } from './faulty-file.ts';

/** The longest preview clip, in seconds. */
const MAX_SECONDS = 60;
/** What an encoder may add to 60 s of sound: its delay, and the padding of the last frame. */
const ENCODER_SECONDS = 0.1;

/**
 * Decodes a preview clip, and returns its length in seconds. Throws FaultyFile if it is not an MP3, cannot be decoded
 * or is too long. Decodes no more than the longest clip.
 */
export async function readClip(path: string): Promise<number> {
  if (!(await isMp3(path))) {
    throw new FaultyFile('must be an MP3 file; it is none');
  }
  let seconds = 0;
  try {
    for await (const { sampleRate, channels } of decode(path, undefined)) {
      seconds += channels[0]!.length / sampleRate;
      if (seconds > MAX_SECONDS + ENCODER_SECONDS) {
        throw new FaultyFile(`must be ${MAX_SECONDS} s long at most; it is longer`);
      }
    }
  } catch (error) {
    throw error instanceof RenditionProblem
      ? new FaultyFile(`must be an MP3 file that can be decoded: ${error.message}`)
      : error;
  }
  return seconds;
}

/** Whether the content after the tags is that of no other format, nor of another layer of MPEG audio. */
async function isMp3(path: string): Promise<boolean> {
  const file = openSync(path, 'r');
  try {
    const source = new FileSource(file);
    await skipId3(source);
    const start = source.position;
    const format = audioFormat(await source.read(FORMAT_BYTES), 'mp3');
    source.position = start;
    return format === 'mp3' && (await mpegLayer(source)) === 3;
  } finally {
    closeSync(file);
  }
}
