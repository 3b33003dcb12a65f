import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { type FileSource, viewOf } from './byte-source.ts';
import { type PcmFormat, readPcm } from './pcm.ts';

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
 * Decodes an AIFF or AIFF-C file without compression. Its chunks may be in any order. A file that ends
 * before its data does is decoded up to its end. Throws a RenditionProblem.
 */
export async function* readAiff(source: FileSource): AsyncGenerator<AudioBlock> {
  const form = await source.read(12);
  const isCompressed = Buffer.from(form.subarray(8, 12)).toString('latin1') === 'AIFC';
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
    const name = Buffer.from(head.subarray(0, 4)).toString('latin1');
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
  yield* readPcm(source, format, Math.min(declared, Math.max(0, sound.size)));
}

function commonChunk(bytes: Uint8Array, isCompressed: boolean): PcmFormat & { frames: number } {
  if (bytes.length < (isCompressed ? 22 : 18)) {
    throw new RenditionProblem('the AIFF file does not say the format of its audio');
  }
  const view = viewOf(bytes);
  const name = isCompressed ? Buffer.from(bytes.subarray(18, 22)).toString('latin1') : 'NONE';
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

/** The number of 80 bits (IEEE 754 extended precision), rounded to an integer. */
function extendedFloat(view: DataView, at: number): number {
  const exponent = (view.getUint16(at) & 0x7fff) - 16383 - 63;
  return Math.round(Number(view.getBigUint64(at + 2)) * 2 ** exponent);
}
