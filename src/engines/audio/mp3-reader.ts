import { MPEGDecoder } from 'mpg123-decoder';
import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { type FileSource, viewOf } from './byte-source.ts';

/** The first frame must begin within these bytes after the tags. */
const SEARCHED_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * Decodes MPEG 1, 2 and 2.5, layers 1 to 3. Cuts the delay and the padding of the encoder if the first frame contains
 * them (LAME tag). Throws a RenditionProblem.
 */
export async function* readMp3(source: FileSource): AsyncGenerator<AudioBlock> {
  const start = source.position;
  const head = await source.read(SEARCHED_BYTES);
  const first = firstFrame(head);
  if (first === undefined) throw new RenditionProblem('the file has no MPEG audio');
  source.position = start + first.offset;
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    for await (const piece of source.pieces(PIECE_BYTES)) {
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(piece);
      if (samplesDecoded > 0) {
        // The decoder returns mono as two equal channels.
        yield { sampleRate, channels: channelData.slice(0, first.channels) };
      }
    }
  } finally {
    decoder.free();
  }
}

/** Searches from the position of the source. Undefined if there is no MPEG audio. */
export async function mpegLayer(source: FileSource): Promise<1 | 2 | 3 | undefined> {
  return firstFrame(await source.read(SEARCHED_BYTES))?.layer;
}

interface Mp3Frame {
  layer: 1 | 2 | 3;
  channels: 1 | 2;
  /** In bytes, with the header. */
  length: number;
  /** The members of the header that are equal in all frames of a file: version, layer and rate. */
  family: number;
}

/** Finds the first frame that ends the bytes, or is directly before another frame of its family. */
function firstFrame(bytes: Uint8Array): (Mp3Frame & { offset: number }) | undefined {
  const view = viewOf(bytes);
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = mp3FrameAt(view, at);
    if (frame !== undefined) {
      const next = at + frame.length;
      if (next === bytes.length || mp3FrameAt(view, next)?.family === frame.family) {
        return { ...frame, offset: at };
      }
    }
  }
  return undefined;
}

const V1_RATES = [44_100, 48_000, 32_000];
/** In kbit/s, by the code of the header. */
const BIT_RATES = {
  v1: {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  v2: {
    1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;

/** Parses the header of a frame (ISO 11172-3 §2.4.1.3 and ISO 13818-3). Undefined if there is none. */
function mp3FrameAt(view: DataView, at: number): Mp3Frame | undefined {
  if (at + 4 > view.byteLength) return undefined;
  const header = view.getUint32(at);
  const version = (header >>> 19) & 3;
  const layerCode = (header >>> 17) & 3;
  const rateCode = (header >>> 10) & 3;
  if (header >>> 21 !== 0x7ff || version === 1 || layerCode === 0 || rateCode === 3) {
    return undefined;
  }
  const layer = (4 - layerCode) as 1 | 2 | 3;
  const bitRate = BIT_RATES[version === 3 ? 'v1' : 'v2'][layer][(header >>> 12) & 15];
  if (!bitRate) return undefined;
  const sampleRate = V1_RATES[rateCode]! >> (version === 3 ? 0 : version === 2 ? 1 : 2);
  const padding = (header >>> 9) & 1;
  // A slot has four bytes in layer 1, one in the others.
  const length =
    layer === 1
      ? (Math.floor((12_000 * bitRate) / sampleRate) + padding) * 4
      : Math.floor(((layer === 3 && version !== 3 ? 72_000 : 144_000) * bitRate) / sampleRate) +
        padding;
  const channels = (header >>> 6) % 4 === 3 ? 1 : 2;
  return { layer, channels, length, family: header & 0xfffe_0c00 };
}
