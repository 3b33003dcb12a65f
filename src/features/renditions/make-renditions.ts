import { createMp3Encoder } from 'wasm-media-encoders';
import { Loudness, Mean, Peaks } from '../../engines/audio/analysis.ts';
import type { AudioBlock } from '../../engines/audio/audio-block.ts';
import { decode } from '../../engines/audio/decode.ts';
import { resample } from '../../engines/audio/resample.ts';
import { type Renditions, waveformDat, waveformJson } from './rendition-files.ts';

export interface RenditionRequest {
  /** A path that Stave chose. The extension decides the format if the content does not. */
  path: string;
  /** Where the clip begins; by default at the loudest passage. */
  previewStartSeconds?: number | undefined;
}

/**
 * Decodes the file up to twice, because the whole audio decides where the clip begins, and memory must not grow with the
 * length. Calls `onProgress` with the decoded seconds after each minute of audio. Throws a RenditionProblem.
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
  for await (const block of decode(path, ffmpeg)) {
    sampleRate = block.sampleRate;
    loudness ??= new Loudness(sampleRate);
    const samples = mean.of(block);
    peaks.add(samples);
    loudness.add(samples);
    const minutes = Math.floor(frames / sampleRate / 60);
    frames += samples.length;
    if (Math.floor(frames / sampleRate / 60) > minutes) onProgress(frames / sampleRate);
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

/** The length of a preview clip. A shorter track is its own clip. */
const CLIP_SECONDS = 30;
const FADE_IN_SECONDS = 0.05;
const FADE_OUT_SECONDS = 1;
const KBIT_PER_SECOND = 128;
const ENCODED_AT_ONCE = 65_536;

/**
 * Makes a preview clip of `frames` samples from the sample `start` on: MP3, 128 kbit/s CBR, faded in and out. The encoder
 * scales its amplitude by 0.95, so that peaks are not clipped. It is mono or stereo as its first block; more channels
 * become mono, their mean. Holds the samples of the clip, and reads no block after them.
 */
async function makeClip(
  blocks: AsyncIterable<AudioBlock>,
  start: number,
  frames: number,
): Promise<Uint8Array> {
  const { channels, sampleRate } = await collect(blocks, start, frames);
  // 44.1 kHz for its multiples and fractions.
  const rate = sampleRate % 11_025 === 0 ? 44_100 : 48_000;
  return encode(
    channels.map((samples) => fade(resample(samples, sampleRate, rate), rate)),
    rate,
  );
}

async function collect(
  blocks: AsyncIterable<AudioBlock>,
  start: number,
  frames: number,
): Promise<{ channels: Float32Array[]; sampleRate: number }> {
  const mean = new Mean();
  let channels: Float32Array[] = [];
  let sampleRate = 0;
  let at = 0;
  for await (const block of blocks) {
    const length = block.channels[0]!.length;
    if (channels.length === 0) {
      sampleRate = block.sampleRate;
      const count = block.channels.length === 2 ? 2 : 1;
      channels = Array.from({ length: count }, () => new Float32Array(frames));
    }
    const from = Math.max(0, start - at);
    const to = Math.min(length, start + frames - at);
    if (from < to) {
      const isSame = block.channels.length === channels.length;
      const mixed = isSame ? undefined : mean.of(block);
      channels.forEach((samples, channel) => {
        samples.set((mixed ?? block.channels[channel]!).subarray(from, to), at + from - start);
      });
    }
    at += length;
    if (at >= start + frames) break;
  }
  return { channels, sampleRate };
}

/** Fades in and out, linearly, in place. */
function fade(samples: Float32Array, sampleRate: number): Float32Array {
  const fadeIn = Math.min(samples.length, Math.round(FADE_IN_SECONDS * sampleRate));
  for (let i = 0; i < fadeIn; i++) {
    samples[i] = samples[i]! * (i / fadeIn);
  }
  const fadeOut = Math.min(samples.length, FADE_OUT_SECONDS * sampleRate);
  for (let i = 0; i < fadeOut; i++) {
    const at = samples.length - 1 - i;
    samples[at] = samples[at]! * (i / fadeOut);
  }
  return samples;
}

async function encode(channels: Float32Array[], sampleRate: number): Promise<Uint8Array> {
  const encoder = await createMp3Encoder();
  encoder.configure({
    channels: channels.length === 2 ? 2 : 1,
    sampleRate,
    bitrate: KBIT_PER_SECOND,
  });
  const parts: Uint8Array[] = [];
  for (let at = 0; at < channels[0]!.length; at += ENCODED_AT_ONCE) {
    const part = channels.map((samples) =>
      samples.subarray(at, at + ENCODED_AT_ONCE).map((sample) => Math.max(-1, Math.min(1, sample))),
    );
    // The encoder reuses the array that it returns.
    parts.push(encoder.encode(part).slice());
  }
  parts.push(encoder.finalize().slice());
  return Buffer.concat(parts);
}
