import { type AudioBlock, checkFormat, RenditionProblem } from './audio-block.ts';
import { ascii, type ByteSource, type FileSource, viewOf } from './byte-source.ts';
import { FLOAT, PCM, wavFormatOf } from './wav-format.ts';

/** Samples without compression are interleaved, each in whole bytes. */
export interface PcmFormat {
  sampleRate: number;
  channels: number;
  /** The zero of unsigned samples is in the middle. A sample with fewer bits is in the highest bits. */
  kind: 'signed' | 'unsigned' | 'float';
  bytesPerSample: number;
  isLittleEndian: boolean;
}

const BLOCK_BYTES = 128 * 1024;
/** The greatest number of 32 bits (IEEE 754). A greater one becomes infinite, and the mean of channels then NaN. */
const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

/** Samples without compression, which begin at the next byte of a source. */
interface PcmSamples {
  format: PcmFormat;
  /** More than there are if that is unknown. */
  byteCount: number;
}

/** Yields whole samples of all channels, as they are. Each piece is valid until the next one. */
export async function* pcmBytes(
  source: ByteSource,
  { format, byteCount }: PcmSamples,
): AsyncGenerator<Uint8Array> {
  checkFormat(format.sampleRate, format.channels);
  const frameBytes = format.channels * format.bytesPerSample;
  const framesPerBlock = Math.max(1, Math.floor(BLOCK_BYTES / frameBytes));
  for (let left = byteCount; left >= frameBytes; left -= framesPerBlock * frameBytes) {
    const wanted = Math.min(framesPerBlock, Math.floor(left / frameBytes)) * frameBytes;
    const bytes = await source.read(wanted);
    const frames = Math.floor(bytes.length / frameBytes);
    if (frames === 0) return;
    yield bytes.subarray(0, frames * frameBytes);
    if (bytes.length < wanted) return;
  }
}

/** Decodes samples. Omits an incomplete frame at the end. Throws a RenditionProblem if the format is not supported. */
async function* readPcm(source: ByteSource, samples: PcmSamples): AsyncGenerator<AudioBlock> {
  const { sampleRate, channels: count, bytesPerSample } = samples.format;
  checkFormat(sampleRate, count);
  const readSample = sampleReader(samples.format);
  const frameBytes = count * bytesPerSample;
  for await (const bytes of pcmBytes(source, samples)) {
    const frames = bytes.length / frameBytes;
    const view = viewOf(bytes);
    const channels = Array.from({ length: count }, (_, channel) => {
      const samples = new Float32Array(frames);
      for (let i = 0, at = channel * bytesPerSample; i < frames; i++, at += frameBytes) {
        samples[i] = readSample(view, at);
      }
      return samples;
    });
    yield { sampleRate, channels };
  }
}

type SampleReader = (view: DataView, at: number) => number;

function sampleReader({ kind, bytesPerSample, isLittleEndian: le }: PcmFormat): SampleReader {
  const readers: Readonly<Record<string, SampleReader>> = {
    unsigned1: (view, at) => (view.getUint8(at) - 128) / 128,
    signed1: (view, at) => view.getInt8(at) / 128,
    signed2: (view, at) => view.getInt16(at, le) / 0x8000,
    signed3: le
      ? (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 0x800000
      : (view, at) => ((view.getInt8(at) << 16) | view.getUint16(at + 1)) / 0x800000,
    // A float has 24 bits. Rounding to them could move a sample to the next value of a waveform.
    signed4: (view, at) => (view.getInt32(at, le) >> 8) / 0x800000,
    float4: (view, at) => finite(view.getFloat32(at, le)),
    float8: (view, at) => finite(view.getFloat64(at, le)),
  };
  const reader = readers[`${kind}${bytesPerSample}`];
  if (reader === undefined) {
    throw new RenditionProblem(`samples of ${bytesPerSample} bytes (${kind}) are not supported`);
  }
  return reader;
}

/** Makes silence of NaN and infinity, and limits others to the range of a block. */
function finite(sample: number): number {
  return Number.isFinite(sample) ? Math.max(-MAX_FLOAT32, Math.min(MAX_FLOAT32, sample)) : 0;
}

/** The real size of the chunk is elsewhere, or unknown. */
const UNKNOWN_SIZE = 0xffff_ffff;

/**
 * Decodes RIFF, RIFX, RF64 and BW64 with integer or float samples; `readOtherwise` decodes compressed ones. Decodes a
 * truncated file up to its end. Throws a RenditionProblem.
 */
export async function* readWav(
  source: ByteSource,
  readOtherwise: () => AsyncIterable<AudioBlock> = notSupported,
): AsyncGenerator<AudioBlock> {
  const samples = await findWavSamples(source);
  yield* samples === undefined ? readOtherwise() : readPcm(source, samples);
}

/** Goes to the first sample. Returns undefined for compressed samples. Throws a RenditionProblem. */
export async function findWavSamples(source: ByteSource): Promise<PcmSamples | undefined> {
  const magic = ascii(await source.read(12));
  const isLittleEndian = !magic.startsWith('RIFX');
  let format: PcmFormat | undefined;
  let longDataSize: number | undefined;
  for (;;) {
    const head = await source.read(8);
    if (head.length < 8) throw new RenditionProblem('the WAV file has no audio data');
    const name = ascii(head.subarray(0, 4));
    const size = viewOf(head).getUint32(4, isLittleEndian);
    if (name === 'data') {
      if (format === undefined) {
        throw new RenditionProblem('the WAV file does not say the format of its audio');
      }
      return { format, byteCount: dataSize(size, longDataSize) };
    }
    if (name === 'fmt ') {
      format = wavFormat(await source.read(Math.min(size, 40)), isLittleEndian);
      if (format === undefined) return undefined;
      await source.skip(Math.max(0, size - 40));
    } else if (name === 'ds64' && size >= 16) {
      longDataSize = Number(viewOf(await source.read(16)).getBigUint64(8, true));
      await source.skip(size - 16);
    } else {
      await source.skip(size);
    }
    // A chunk begins at an even offset.
    await source.skip(size % 2);
  }
}

/** A program that writes to a pipe, or was killed, writes no size: then the data ends with the file. */
function dataSize(size: number, longDataSize: number | undefined): number {
  if (size === UNKNOWN_SIZE && longDataSize !== undefined && longDataSize > 0) return longDataSize;
  return size === 0 || size === UNKNOWN_SIZE ? Number.MAX_SAFE_INTEGER : size;
}

function notSupported(): never {
  throw new RenditionProblem('the samples of the WAV file are compressed');
}

/** Returns undefined for compressed samples. */
function wavFormat(bytes: Uint8Array, isLittleEndian: boolean): PcmFormat | undefined {
  const format = wavFormatOf(bytes, isLittleEndian);
  if (format === undefined) {
    throw new RenditionProblem('the WAV file does not say the format of its audio');
  }
  const { encoding, channels, sampleRate, blockBytes, bits } = format;
  if (encoding !== PCM && encoding !== FLOAT) return undefined;
  const declared = blockBytes / channels;
  const bytesPerSample =
    Number.isInteger(declared) && declared * 8 >= bits && declared > 0
      ? declared
      : Math.ceil(bits / 8);
  const kind = encoding === FLOAT ? 'float' : bytesPerSample === 1 ? 'unsigned' : 'signed';
  return { sampleRate, channels, kind, bytesPerSample, isLittleEndian };
}

/** The encodings of AIFF-C without compression: bytes per sample if fixed, kind and byte order. */
const ENCODINGS: Readonly<
  Record<string, { bytes?: number; kind: PcmFormat['kind']; isLittleEndian?: true }>
> = {
  NONE: { kind: 'signed' },
  twos: { kind: 'signed' },
  sowt: { kind: 'signed', isLittleEndian: true },
  'raw ': { bytes: 1, kind: 'unsigned' },
  in24: { bytes: 3, kind: 'signed' },
  in32: { bytes: 4, kind: 'signed' },
  fl32: { bytes: 4, kind: 'float' },
  FL32: { bytes: 4, kind: 'float' },
  fl64: { bytes: 8, kind: 'float' },
  FL64: { bytes: 8, kind: 'float' },
};

/**
 * Decodes AIFF and AIFF-C without compression, with chunks in any order. Decodes a truncated file up to its end. Throws a
 * RenditionProblem.
 */
export async function* readAiff(source: FileSource): AsyncGenerator<AudioBlock> {
  yield* readPcm(source, await findAiffSamples(source));
}

/** Goes to the first sample. Throws a RenditionProblem. */
export async function findAiffSamples(
  source: ByteSource & { position: number },
): Promise<PcmSamples> {
  const form = await source.read(12);
  const isCompressed = ascii(form.subarray(8, 12)) === 'AIFC';
  let format: (PcmFormat & { frames: number }) | undefined;
  let sound: { position: number; size: number } | undefined;
  while (format === undefined || sound === undefined) {
    const head = await source.read(8);
    if (head.length < 8) {
      throw new RenditionProblem(
        format === undefined
          ? 'the AIFF file does not say the format of its audio'
          : 'the AIFF file has no audio data',
      );
    }
    const name = ascii(head.subarray(0, 4));
    const size = viewOf(head).getUint32(4);
    const start = source.position;
    if (name === 'COMM') {
      format = commonChunk(await source.read(Math.min(size, 22)), isCompressed);
    } else if (name === 'SSND') {
      const fields = await source.read(8);
      const offset = fields.length < 8 ? 0 : viewOf(fields).getUint32(0);
      sound = { position: start + 8 + offset, size: size - 8 - offset };
    }
    source.position = start + size + (size % 2);
  }
  source.position = sound.position;
  const declared = format.frames * format.channels * format.bytesPerSample;
  return { format, byteCount: Math.min(declared, Math.max(0, sound.size)) };
}

function commonChunk(bytes: Uint8Array, isCompressed: boolean): PcmFormat & { frames: number } {
  if (bytes.length < (isCompressed ? 22 : 18)) {
    throw new RenditionProblem('the AIFF file does not say the format of its audio');
  }
  const view = viewOf(bytes);
  const name = isCompressed ? ascii(bytes.subarray(18, 22)) : 'NONE';
  const encoding = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name]! : undefined;
  if (encoding === undefined) {
    const shown = name.replace(/[^\x20-\x7e]/g, '?');
    throw new RenditionProblem(`AIFF files with the encoding "${shown}" are not supported`);
  }
  return {
    channels: view.getUint16(0),
    frames: view.getUint32(2),
    sampleRate: extendedFloat(view, 8),
    kind: encoding.kind,
    bytesPerSample: encoding.bytes ?? Math.ceil(view.getUint16(6) / 8),
    isLittleEndian: encoding.isLittleEndian ?? false,
  };
}

/** Reads a number of 80 bits (IEEE 754 extended precision), rounded to an integer. */
function extendedFloat(view: DataView, at: number): number {
  const exponent = (view.getUint16(at) & 0x7fff) - 16383 - 63;
  return Math.round(Number(view.getBigUint64(at + 2)) * 2 ** exponent);
}
