import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Waveform } from '../../engines/audio/analysis.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { RenditionFile, RenditionKind } from './rendition.ts';

const zip = promisify(gzip);

/** The files made from one audio file. Equal audio files give equal bytes. */
export interface Renditions {
  /** BBC audiowaveform data, as JSON and as .dat with the same numbers. */
  waveformJson: Uint8Array;
  waveformDat: Uint8Array;
  /** The preview clip, an MP3 file. */
  clip: Uint8Array;
  clipStartSeconds: number;
  durationSeconds: number;
}

export async function putRendition(
  media: Pick<MediaStore, 'putBytes'>,
  kind: RenditionKind,
  made: Renditions,
): Promise<RenditionFile> {
  const [bytes, extension] = await fileOf(kind, made);
  const { key, sizeBytes } = await media.putBytes(bytes, extension);
  return { mediaKey: key, sizeBytes };
}

async function fileOf(
  kind: RenditionKind,
  { clip, waveformDat, waveformJson }: Renditions,
): Promise<[Uint8Array, string]> {
  switch (kind) {
    case 'preview':
      return [clip, 'mp3'];
    case 'waveform':
      return [await gzipped(waveformJson), 'jgz'];
    case 'waveform-dat':
      return [waveformDat, 'dat'];
  }
}

/** Compresses outside of this thread. The result contains neither the time nor the operating system. */
async function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const zipped = await zip(bytes);
  // The operating system (RFC 1952): unknown.
  zipped[9] = 255;
  return zipped;
}

/** The version of BBC audiowaveform data. */
const VERSION = 2;
const HEADER_BYTES = 24;
/** The flag for 8 bits a sample. */
const IS_8_BIT = 1;

export function waveformJson({ sampleRate, samplesPerPixel, data }: Waveform): Uint8Array {
  return Buffer.from(
    `${jsonHead(sampleRate, samplesPerPixel, data.length / 2)}${data.join(',')}]}`,
  );
}

/** The JSON before the samples; ASCII. */
function jsonHead(sampleRate: number, samplesPerPixel: number, length: number): string {
  const members = {
    version: VERSION,
    channels: 1,
    sample_rate: sampleRate,
    samples_per_pixel: samplesPerPixel,
    bits: 8,
    length,
  };
  return `${JSON.stringify(members).slice(0, -1)},"data":[`;
}

export function waveformDat({ sampleRate, samplesPerPixel, data }: Waveform): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + data.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, VERSION, true);
  view.setUint32(4, IS_8_BIT, true);
  view.setInt32(8, sampleRate, true);
  view.setInt32(12, samplesPerPixel, true);
  view.setUint32(16, data.length / 2, true);
  view.setInt32(20, 1, true);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.length), HEADER_BYTES);
  return bytes;
}

/** The length of each sample in JSON, by its byte. */
const JSON_LENGTHS = Uint8Array.from(
  { length: 256 },
  (_, byte) => String((byte << 24) >> 24).length,
);

/** Converts the output of `waveformDat` into the output of `waveformJson`, in chunks. */
export async function* datToJson(dat: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let before = '';
  for await (const part of partsOf(dat)) {
    if (typeof part === 'string') {
      before = part;
      continue;
    }
    yield Buffer.from(before + new Int8Array(part).join(','));
    before = ',';
  }
  // Without a sample, the head is still to be sent.
  yield Buffer.from(before === ',' ? ']}' : `${before}]}`);
}

/** Returns the number of bytes that `datToJson` makes. */
export async function datToJsonBytes(dat: AsyncIterable<Buffer>): Promise<number> {
  let bytes = ']}'.length;
  let samples = 0;
  for await (const part of partsOf(dat)) {
    if (typeof part === 'string') {
      bytes += part.length;
      continue;
    }
    samples += part.length;
    for (const byte of part) bytes += JSON_LENGTHS[byte]!;
  }
  return bytes + Math.max(0, samples - 1);
}

/** Yields the beginning of the JSON, and then the samples. Throws if the file is shorter than its header. */
async function* partsOf(dat: AsyncIterable<Buffer>): AsyncGenerator<string | Buffer> {
  let header: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of dat) {
    if (chunk.length === 0) continue;
    if (header === undefined) {
      yield chunk;
      continue;
    }
    header = Buffer.concat([header, chunk]);
    if (header.length < HEADER_BYTES) continue;
    yield jsonHead(header.readInt32LE(8), header.readInt32LE(12), header.readUInt32LE(16));
    if (header.length > HEADER_BYTES) yield header.subarray(HEADER_BYTES);
    header = undefined;
  }
  if (header !== undefined) throw new Error('the waveform is shorter than its header');
}
