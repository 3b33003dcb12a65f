import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { extensionOf } from '../../blobs/content-types.ts';
import { type AudioBlock, RenditionProblem } from '../audio-block.ts';
import { audioFormat, FORMAT_BYTES } from '../audio-format.ts';
import { FileSource } from '../byte-source.ts';
import { decode, skipId3 } from '../decode.ts';
import { findAiffSamples, findWavSamples, type PcmFormat, pcmBytes } from '../pcm-readers.ts';
import { type SampleFormat, sampleFormat } from './sample-format.ts';

/** The samples of a file without loss, in the form of WAV. */
export interface WavSamples {
  format: SampleFormat;
  /** Whole samples of all channels. Each piece is valid until the next one. */
  pieces: AsyncIterable<Uint8Array>;
}

/** Throws a RenditionProblem, at once or while the pieces are read. */
export async function wavSamples(path: string, ffmpeg: string | undefined): Promise<WavSamples> {
  await using file = await open(path);
  const { size: sizeBytes } = await file.stat();
  const read = async (offset: number, length: number) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const format = await sampleFormat({ sizeBytes, read }, extensionOf(path));
  if (format === undefined) {
    throw new RenditionProblem('the audio has lost something, or cannot be decoded exactly');
  }
  return { format, pieces: piecesOf(path, ffmpeg, format) };
}

async function* piecesOf(
  path: string,
  ffmpeg: string | undefined,
  format: SampleFormat,
): AsyncGenerator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const source = new FileSource(file);
    await skipId3(source);
    const start = source.position;
    const container = audioFormat(await source.read(FORMAT_BYTES), extensionOf(path));
    source.position = start;
    const samples =
      container === 'wav'
        ? await findWavSamples(source)
        : container === 'aiff'
          ? await findAiffSamples(source)
          : undefined;
    if (samples === undefined) {
      for await (const block of decode(path, ffmpeg)) yield integers(block, format);
      return;
    }
    for await (const bytes of pcmBytes(source, samples)) yield asInWav(bytes, samples.format);
  } finally {
    closeSync(file);
  }
}

/** Changes bytes of samples in place: WAV has the lowest byte first, and samples of 8 bits are unsigned. */
function asInWav(
  bytes: Uint8Array,
  { bytesPerSample, isLittleEndian, kind }: PcmFormat,
): Uint8Array {
  if (bytesPerSample === 1) return kind === 'signed' ? bytes.map((byte) => byte ^ 0x80) : bytes;
  if (isLittleEndian) return bytes;
  for (let at = 0; at < bytes.length; at += bytesPerSample) {
    bytes.subarray(at, at + bytesPerSample).reverse();
  }
  return bytes;
}

function integers(
  { channels, sampleRate }: AudioBlock,
  { channels: count, sampleRate: rate, bytesPerSample }: SampleFormat,
): Uint8Array {
  if (channels.length !== count || sampleRate !== rate) {
    throw new RenditionProblem('the number of channels or the sample rate changes within the file');
  }
  const length = channels[0]!.length;
  const bytes = Buffer.alloc(length * count * bytesPerSample);
  const scale = 2 ** (bytesPerSample * 8 - 1);
  let at = 0;
  for (let i = 0; i < length; i++) {
    for (const samples of channels) {
      const value = Math.round(samples[i]! * scale);
      at =
        bytesPerSample === 1
          ? bytes.writeUInt8(value + 128, at)
          : bytes.writeIntLE(value, at, bytesPerSample);
    }
  }
  return bytes;
}
