import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { AudioBlock } from '../../engines/audio/audio-block.ts';
import { decode } from '../../engines/audio/decode.ts';

/** How the samples of a made-up file are stored. */
export interface WavOptions {
  sampleRate?: number;
  bits?: 8 | 16 | 24 | 32 | 64;
  isFloat?: boolean;
  isExtensible?: boolean;
  /** Written between the format and the data. */
  otherChunk?: Buffer;
}

/** A folder for made-up files, which is removed after the tests of the file. */
export function audioFolder(): { write(name: string, bytes: Uint8Array): string; path: string } {
  const path = mkdtempSync(join(tmpdir(), 'stave-renditions-'));
  afterAll(() => rmSync(path, { recursive: true }));
  return {
    path,
    write(name, bytes) {
      writeFileSync(join(path, name), bytes);
      return join(path, name);
    },
  };
}

/** A WAV file of these channels, of which each has the same number of samples from -1 to 1. */
export function wavFile(channels: readonly ArrayLike<number>[], options: WavOptions = {}): Buffer {
  const { sampleRate = 44_100, bits = 16, isFloat = false, isExtensible = false } = options;
  const format = Buffer.alloc(isExtensible ? 40 : 16);
  const frameBytes = (channels.length * bits) / 8;
  format.writeUInt16LE(isExtensible ? 0xfffe : isFloat ? 3 : 1, 0);
  format.writeUInt16LE(channels.length, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * frameBytes, 8);
  format.writeUInt16LE(frameBytes, 12);
  format.writeUInt16LE(bits, 14);
  if (isExtensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(bits, 18);
    Buffer.from(`0${isFloat ? 3 : 1}00000000001000800000aa00389b71`, 'hex').copy(format, 24);
  }
  const data = interleaved(channels, { bits, isFloat, isLittleEndian: true, isUnsigned: true });
  return Buffer.concat([
    Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'),
    chunk('fmt ', format),
    options.otherChunk ?? Buffer.alloc(0),
    chunk('data', data),
  ]);
}

/** A chunk of RIFF, with the byte that makes its length even. */
export function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)]);
}

/** The samples as bytes. An integer sample is the nearest one below full scale. */
export function interleaved(
  channels: readonly ArrayLike<number>[],
  format: { bits: number; isFloat?: boolean; isLittleEndian?: boolean; isUnsigned?: boolean },
): Buffer {
  const { bits, isFloat = false, isLittleEndian = false, isUnsigned = false } = format;
  const bytesPerSample = bits / 8;
  const length = channels[0]!.length;
  const bytes = Buffer.alloc(length * channels.length * bytesPerSample);
  const fullScale = 2 ** (bits - 1);
  let at = 0;
  for (let i = 0; i < length; i++) {
    for (const samples of channels) {
      const sample = samples[i]!;
      if (isFloat) {
        const view = new DataView(bytes.buffer, bytes.byteOffset + at);
        if (bits === 64) view.setFloat64(0, sample, isLittleEndian);
        else view.setFloat32(0, sample, isLittleEndian);
      } else {
        const integer = Math.max(
          -fullScale,
          Math.min(fullScale - 1, Math.round(sample * fullScale)),
        );
        if (bits === 8 && isUnsigned) bytes.writeUInt8(integer + 128, at);
        else if (isLittleEndian) bytes.writeIntLE(integer, at, bytesPerSample);
        else bytes.writeIntBE(integer, at, bytesPerSample);
      }
      at += bytesPerSample;
    }
  }
  return bytes;
}

/** A tone whose amplitude is a function of the second. */
export function tone(
  seconds: number,
  sampleRate: number,
  amplitude: (second: number) => number = () => 0.5,
  hertz = 440,
): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => {
    const time = i / sampleRate;
    return amplitude(Math.floor(time)) * Math.sin(2 * Math.PI * hertz * time);
  });
}

/** All that is decoded of a file, as one block. */
export async function decodeAll(path: string, ffmpeg?: string): Promise<AudioBlock> {
  const blocks: AudioBlock[] = [];
  for await (const block of decode(path, ffmpeg)) blocks.push(block);
  return {
    sampleRate: blocks[0]!.sampleRate,
    channels: blocks[0]!.channels.map((_, channel) =>
      Float32Array.from(blocks.flatMap(({ channels }) => Array.from(channels[channel]!))),
    ),
  };
}
