import type { AudioBlock } from '../../engines/audio/audio-block.ts';
import { decode } from '../../engines/audio/decode.ts';
import { Loudness } from '../../engines/audio/loudness.ts';
import { Mean } from '../../engines/audio/mean.ts';
import { Peaks } from '../../engines/audio/peaks.ts';
import { CLIP_SECONDS, makeClip } from './clip.ts';
import { waveformDat, waveformJson } from './waveform-files.ts';

/** What to make of which file. */
export interface RenditionRequest {
  /**
   * A path that Stave chose. Its extension is that of the audio: it decides the format where the content
   * leaves it open.
   */
  path: string;
  /** The second at which the clip begins; without it, the clip is the loudest passage. */
  previewStartSeconds?: number | undefined;
}

/** The files made from one audio file. Equal audio files give equal bytes. */
export interface Renditions {
  /** BBC audiowaveform data, as JSON and as .dat with the same numbers. */
  waveformJson: Uint8Array;
  waveformDat: Uint8Array;
  /** The preview clip, an MP3 file. */
  clip: Uint8Array;
  /** The second at which the clip begins. */
  clipStartSeconds: number;
  /** The length of the audio. */
  durationSeconds: number;
}

/**
 * Makes the waveform and the preview clip of an audio file. Decodes it up to twice, because the whole
 * decides where the clip begins, and memory must not grow with the length. `onProgress` gets the decoded
 * seconds from time to time. Throws a RenditionProblem.
 */
export async function makeRenditions(
  { path, previewStartSeconds }: RenditionRequest,
  ffmpeg: string | undefined,
  onProgress: (seconds: number) => void,
): Promise<Renditions> {
  const mean = new Mean();
  const peaks = new Peaks();
  let loudness: Loudness | undefined;
  let sampleRate = 0;
  let frames = 0;
  for await (const block of reported(decode(path, ffmpeg), onProgress)) {
    sampleRate = block.sampleRate;
    loudness ??= new Loudness(sampleRate);
    const samples = mean.of(block);
    peaks.add(samples);
    loudness.add(samples);
    frames += samples.length;
  }
  const clipFrames = Math.min(frames, CLIP_SECONDS * sampleRate);
  const clipStart =
    previewStartSeconds === undefined
      ? loudness!.loudestStart(CLIP_SECONDS) * sampleRate
      : Math.min(previewStartSeconds * sampleRate, frames - clipFrames);
  const waveform = peaks.waveform(sampleRate);
  return {
    waveformJson: waveformJson(waveform),
    waveformDat: waveformDat(waveform),
    clip: await makeClip(decode(path, ffmpeg), clipStart, clipFrames),
    clipStartSeconds: clipStart / sampleRate,
    durationSeconds: frames / sampleRate,
  };
}

/** Reports the decoded seconds after each minute of audio. */
async function* reported(
  blocks: AsyncIterable<AudioBlock>,
  report: (seconds: number) => void,
): AsyncGenerator<AudioBlock> {
  let frames = 0;
  let next = 60;
  for await (const block of blocks) {
    yield block;
    frames += block.channels[0]!.length;
    if (frames >= next * block.sampleRate) {
      report(frames / block.sampleRate);
      next = Math.floor(frames / block.sampleRate / 60) * 60 + 60;
    }
  }
}
