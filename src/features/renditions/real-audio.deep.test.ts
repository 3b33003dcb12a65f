import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeByFfmpeg, FFMPEG } from '../../../test/harness/ffmpeg.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../test/harness/import-bench.ts';
import { Mean } from '../../engines/audio/analysis.ts';
import { audioFolder } from './audio-files.test-support.ts';
import { makeRenditions } from './make-renditions.ts';

const folder = audioFolder();
const AUDIO = join(SHARED_DATA, 'audio');

interface AudioFile {
  file: string;
  codec: string;
  sampleRate: number;
  channels: number;
  decodedSeconds: number;
}

/** A clip is a part of a longer file. */
const CLIP_SECONDS = 30;
const formOf = ({ codec, sampleRate, channels }: AudioFile) => `${codec} ${sampleRate} ${channels}`;

/**
 * All files, but of those of one form that are longer than a clip only the shortest one, and of the many recordings of one
 * collection only the first ones. Others of their form take long, and show nothing more.
 */
function samples(): AudioFile[] {
  const all: AudioFile[] = JSON.parse(readFileSync(join(AUDIO, 'manifest.json'), 'utf8'));
  const ofCollection = all.filter(({ file }) => file.startsWith('esc50/')).slice(5);
  const longer = all
    .filter(({ decodedSeconds }) => decodedSeconds > CLIP_SECONDS)
    .toSorted((one, other) => one.decodedSeconds - other.decodedSeconds)
    .filter((one, i, sorted) => sorted.findIndex((any) => formOf(any) === formOf(one)) < i);
  return all.filter((file) => !ofCollection.includes(file) && !longer.includes(file));
}

const files = HAS_SHARED_DATA ? samples() : [];

/** Files that are faulty on purpose, and how they end if not like the others. */
const SPECIAL: Readonly<Record<string, { problem?: string; frames?: number }>> = {
  // Blocks of 65,536 samples are not allowed.
  'flac/faulty-08-blocksize-65536.flac': {
    problem: 'the FLAC file contains a frame that cannot be decoded',
  },
  // ffmpeg decodes nothing of these, or only the beginning. The numbers of samples are those of our decoder.
  'flac/faulty-01-wrong-max-blocksize.flac': { frames: 101_999 },
  'flac/faulty-07-other-metadata-blocks-preceding-streaminfo-metadata-block.flac': {
    frames: 106_031,
  },
  'flac/faulty-11-incorrect-metadata-block-length.flac': { frames: 64_559 },
  // ffmpeg mixes to mono by other weights than the mean.
  'flac/uncommon-02-increasing-number-of-channels.flac': { frames: 638_856 },
};
const LOSSY = ['mp3', 'vorbis', 'opus', 'aac'];

interface WaveformJson {
  sample_rate: number;
  samples_per_pixel: number;
  length: number;
  data: number[];
}

/** The waveform of what ffmpeg decodes. */
function expectedData(
  path: string,
  samplesPerPixel: number,
): { data: number[]; sampleRate: number } {
  const decoded = decodeByFfmpeg(path);
  const mean = new Mean().of(decoded);
  const data: number[] = [];
  for (let at = 0; at < mean.length; at += samplesPerPixel) {
    const bin = mean.subarray(at, at + samplesPerPixel);
    for (const extreme of [
      bin.reduce((a, b) => Math.min(a, b)),
      bin.reduce((a, b) => Math.max(a, b)),
    ]) {
      data.push(Math.max(-128, Math.min(127, Math.floor(extreme * 128))));
    }
  }
  return { data, sampleRate: decoded.sampleRate };
}

describe.skipIf(!HAS_SHARED_DATA || FFMPEG === undefined)(
  'renditions of real audio (skipped without ../shared/data, or without ffmpeg)',
  () => {
    it.each(files)('agree with another decoder: $file', async ({ file, codec }) => {
      const path = join(AUDIO, file);
      const { problem, frames } = SPECIAL[file] ?? {};
      const making = makeRenditions({ path }, FFMPEG, () => {});
      if (problem !== undefined) {
        await expect(making).rejects.toThrow(problem);
        return;
      }
      const { waveformJson, clip, clipStartSeconds, durationSeconds } = await making;
      const waveform: WaveformJson = JSON.parse(Buffer.from(waveformJson).toString());
      if (frames !== undefined) {
        expect(Math.round(durationSeconds * waveform.sample_rate)).toBe(frames);
      } else {
        const { data, sampleRate } = expectedData(path, waveform.samples_per_pixel);
        expect(waveform.sample_rate).toBe(sampleRate);
        expect(waveform.length).toBe(data.length / 2);
        const tolerance = LOSSY.includes(codec) ? 1 : 0;
        const differing = data.flatMap((value, i) =>
          Math.abs(value - waveform.data[i]!) > tolerance ? [i] : [],
        );
        expect(differing).toEqual([]);
      }
      const wanted = Math.min(CLIP_SECONDS, durationSeconds);
      expect(clipStartSeconds + wanted).toBeLessThanOrEqual(durationSeconds);
      const { channels, sampleRate } = decodeByFfmpeg(folder.write('clip.mp3', clip));
      expect(Math.abs(channels[0]!.length / sampleRate - wanted)).toBeLessThan(0.06);
    });
  },
);
