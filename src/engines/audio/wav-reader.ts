import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { type ByteSource, viewOf } from './byte-source.ts';
import { type PcmFormat, readPcm } from './pcm.ts';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** The end of the identifier of an extensible format; its first two bytes are the number of the format. */
const EXTENSIBLE_TAIL = '000000001000800000aa00389b71';
/** The size of a chunk whose real size is elsewhere, or unknown. */
const UNKNOWN_SIZE = 0xffff_ffff;

/**
 * Decodes a WAV file: RIFF, RIFX, RF64 and BW64, integer or float samples. A file that ends before its
 * data does is decoded up to its end. Throws a RenditionProblem.
 */
export async function* readWav(source: ByteSource): AsyncGenerator<AudioBlock> {
  const magic = ascii(await source.read(12));
  const isLittleEndian = !magic.startsWith('RIFX');
  let format: PcmFormat | undefined;
  let longDataSize: number | undefined;
  for (;;) {
    const head = await source.read(8);
    if (head.length < 8) {
      throw new RenditionProblem('the WAV file has no audio data');
    }
    const name = ascii(head.subarray(0, 4));
    const size = viewOf(head).getUint32(4, isLittleEndian);
    if (name === 'data') {
      if (format === undefined) {
        throw new RenditionProblem('the WAV file does not say the format of its audio');
      }
      yield* readPcm(source, format, dataSize(size, longDataSize));
      return;
    }
    if (name === 'fmt ') {
      format = wavFormat(await source.read(Math.min(size, 40)), isLittleEndian);
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

/** A program that writes to a pipe, or one that was killed, leaves no size: the data then goes to the end. */
function dataSize(size: number, longDataSize: number | undefined): number {
  if (size === UNKNOWN_SIZE && longDataSize !== undefined && longDataSize > 0) {
    return longDataSize;
  }
  return size === 0 || size === UNKNOWN_SIZE ? Number.MAX_SAFE_INTEGER : size;
}

function wavFormat(bytes: Uint8Array, isLittleEndian: boolean): PcmFormat {
  if (bytes.length < 16) {
    throw new RenditionProblem('the WAV file does not say the format of its audio');
  }
  const view = viewOf(bytes);
  let encoding = view.getUint16(0, isLittleEndian);
  const channels = view.getUint16(2, isLittleEndian);
  const sampleRate = view.getUint32(4, isLittleEndian);
  const blockBytes = view.getUint16(12, isLittleEndian);
  const bits = view.getUint16(14, isLittleEndian);
  if (encoding === EXTENSIBLE && bytes.length >= 40) {
    const tail = Buffer.from(bytes.subarray(26, 40)).toString('hex');
    encoding = tail === EXTENSIBLE_TAIL ? view.getUint16(24, isLittleEndian) : encoding;
  }
  if (encoding !== PCM && encoding !== FLOAT) {
    throw new RenditionProblem(`WAV files with the encoding ${encoding} are not supported`);
  }
  const declared = blockBytes / channels;
  const bytesPerSample =
    Number.isInteger(declared) && declared * 8 >= bits && declared > 0
      ? declared
      : Math.ceil(bits / 8);
  const kind = encoding === FLOAT ? 'float' : bytesPerSample === 1 ? 'unsigned' : 'signed';
  return { sampleRate, channels, kind, bytesPerSample, isLittleEndian };
}

/** The characters of these bytes. */
function ascii(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
