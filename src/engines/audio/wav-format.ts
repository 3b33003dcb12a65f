import { viewOf } from './byte-source.ts';

/** Integers without compression. */
export const PCM = 1;
export const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** The end of the identifier of an extensible format; its first two bytes are the number of the format. */
const EXTENSIBLE_TAIL = '000000001000800000aa00389b71';

/** The chunk `fmt ` of a WAV file. */
interface WavFormat {
  /** The number of the format, also of an extensible one. */
  encoding: number;
  channels: number;
  sampleRate: number;
  /** The bytes of one sample of all channels, or of a block of compressed ones. */
  blockBytes: number;
  /** Of a sample. */
  bits: number;
}

/** Returns undefined if the chunk is too short. */
export function wavFormatOf(chunk: Uint8Array, isLittleEndian = true): WavFormat | undefined {
  if (chunk.length < 16) return undefined;
  const view = viewOf(chunk);
  let encoding = view.getUint16(0, isLittleEndian);
  if (encoding === EXTENSIBLE && chunk.length >= 40) {
    const tail = Buffer.from(chunk.subarray(26, 40)).toString('hex');
    encoding = tail === EXTENSIBLE_TAIL ? view.getUint16(24, isLittleEndian) : encoding;
  }
  return {
    encoding,
    channels: view.getUint16(2, isLittleEndian),
    sampleRate: view.getUint32(4, isLittleEndian),
    blockBytes: view.getUint16(12, isLittleEndian),
    bits: view.getUint16(14, isLittleEndian),
  };
}
