import { closeSync, openSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { extensionOf } from '../blobs/content-types.ts';
import { type AudioBlock, checkFormat, RenditionProblem } from './audio-block.ts';
import { type AudioFormat, audioFormat, FORMAT_BYTES } from './audio-format.ts';
import { FileSource } from './byte-source.ts';
import { id3Size } from './content.ts';
import { type FfmpegFormat, readWithFfmpeg } from './ffmpeg-reader.ts';
import { readFlac } from './flac-reader.ts';
import { readMp3 } from './mp3-reader.ts';
import { readOgg } from './ogg-reader.ts';
import { readAiff, readWav } from './pcm-readers.ts';

/** What decoding may take. */
export interface DecodeBounds {
  /** The length of the audio. */
  minutes: number;
  /** What decoding may add to the memory of the thread. */
  memoryMb: number;
}

/** Without a limit of the length, a small file of silence could take days. */
const DEFAULT_BOUNDS: DecodeBounds = { minutes: 24 * 60, memoryMb: 512 };

/**
 * The memory does not depend on the length of the file. All blocks have the same sample rate. The number of channels may
 * change. Without the path of ffmpeg, AAC, M4A, MP4, WebM, compressed WAV, and FLAC with 12 or 20 bits a sample cannot be
 * decoded. Throws a RenditionProblem for a file that cannot be decoded, or has no audio, and the error of the system for a file that
 * cannot be read.
 */
export async function* decode(
  path: string,
  ffmpeg: string | undefined,
  bounds: DecodeBounds = DEFAULT_BOUNDS,
): AsyncGenerator<AudioBlock> {
  const file = openSync(path, 'r');
  try {
    const source = new FileSource(file);
    await skipId3(source);
    const start = source.position;
    const format = audioFormat(await source.read(FORMAT_BYTES), extensionOf(path));
    source.position = start;
    let sampleRate: number | undefined;
    let frames = 0;
    const memoryBefore = usedMemory();
    for await (const block of readFormat(format, { source, path, ffmpeg })) {
      checkFormat(block.sampleRate, block.channels.length);
      sampleRate ??= block.sampleRate;
      if (sampleRate !== block.sampleRate) {
        throw new RenditionProblem(
          `the sample rate changes from ${sampleRate} to ${block.sampleRate} Hz within the file`,
        );
      }
      frames += block.channels[0]!.length;
      checkBounds(frames / sampleRate, usedMemory() - memoryBefore, bounds);
      yield block;
    }
    if (sampleRate === undefined) {
      throw new RenditionProblem('the file has no audio that can be decoded');
    }
  } catch (error) {
    throw problemOf(error);
  } finally {
    closeSync(file);
  }
}

/** Decoders fail in many ways on damaged audio: in JavaScript, or by a trap of WebAssembly. */
function problemOf(error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  if (error instanceof RenditionProblem || isOfSystem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new RenditionProblem(`the audio is damaged: its decoder failed (${message})`);
}

interface Input {
  source: FileSource;
  path: string;
  ffmpeg: string | undefined;
}

function readFormat(format: AudioFormat | undefined, input: Input): AsyncIterable<AudioBlock> {
  const { source } = input;
  switch (format) {
    case 'wav':
      return readWav(source, () => withFfmpeg('wav', input));
    case 'aiff':
      return readAiff(source);
    case 'mp3':
      return readMp3(source);
    case 'flac':
      return readFlac(source, () => withFfmpeg('flac', input));
    case 'ogg':
      return readOgg(source, () => withFfmpeg('ogg', input));
    case undefined:
      throw new RenditionProblem('the format of the file is unknown');
    default:
      return withFfmpeg(format, input);
  }
}

function withFfmpeg(format: FfmpegFormat, { path, ffmpeg }: Input): AsyncIterable<AudioBlock> {
  if (ffmpeg === undefined) {
    throw new RenditionProblem('ffmpeg is needed to decode the file', 'format');
  }
  return readWithFfmpeg(ffmpeg, format, path);
}

/** Skips ID3v2 tags (id3.org, ID3v2.4.0 §3.1), which some programs also write before other formats. */
export async function skipId3(source: FileSource): Promise<void> {
  for (;;) {
    const start = source.position;
    const size = id3Size(await source.read(10));
    source.position = start + size;
    if (size === 0) return;
  }
}

function checkBounds(
  seconds: number,
  memoryBytes: number,
  { minutes, memoryMb }: DecodeBounds,
): void {
  if (seconds > minutes * 60) {
    const most = minutes <= 60 ? `${minutes} minutes` : `${minutes / 60} hours`;
    throw new RenditionProblem(`the audio is longer than ${most}`);
  }
  if (memoryBytes > memoryMb * 1024 * 1024) {
    throw new RenditionProblem(`decoding the file takes more than ${memoryMb} MB of memory`);
  }
}

/** Of this thread, in bytes. */
function usedMemory(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
