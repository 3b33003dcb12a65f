import { createHash } from 'node:crypto';
import { viewOf } from '../byte-source.ts';
import { crc8, crc16, RATES, SAMPLE_SIZES } from '../flac-frames.ts';
import { BitWriter } from './bit-writer.ts';
import { type Subframe, subframeOf, wastedBits } from './flac-subframe.ts';
import type { SampleFormat } from './sample-format.ts';

/** The samples of each channel in a frame: what libFLAC uses, too. */
const BLOCK_SAMPLES = 4096;
/** The largest samples of which the difference of two channels is computed and predicted in 32 bits. */
const MAX_JOINED_BITS = 24;

/**
 * Yields a FLAC file (RFC 9639) without tags, piece by piece. The first piece must be replaced by the bytes that are returned
 * at the end, because it contains the number and the checksum of the samples. Equal samples give equal bytes. The memory does
 * not depend on the length.
 *
 * @param pieces whole samples of all channels, in the form of WAV
 */
export async function* encodeFlac(
  pieces: AsyncIterable<Uint8Array>,
  format: SampleFormat,
): AsyncGenerator<Uint8Array, Uint8Array> {
  const encoding = new FlacEncoding(format);
  yield encoding.head();
  for await (const bytes of pieces) yield* encoding.add(bytes);
  yield* encoding.end();
  return encoding.head();
}

class FlacEncoding {
  readonly #format: SampleFormat;
  readonly #channels: readonly Int32Array[];
  readonly #md5 = createHash('md5');
  #digest = Buffer.alloc(16);
  /** The samples of a channel that no frame has yet. */
  #count = 0;
  #frames = 0;
  #samples = 0;
  #smallest = 0;
  #largest = 0;

  constructor(format: SampleFormat) {
    this.#format = format;
    this.#channels = Array.from({ length: format.channels }, () => new Int32Array(BLOCK_SAMPLES));
  }

  *add(bytes: Uint8Array): Generator<Uint8Array> {
    const { bytesPerSample } = this.#format;
    const read = sampleReader(bytes, bytesPerSample);
    // WAV has unsigned samples of 8 bits, and FLAC signed ones.
    this.#md5.update(bytesPerSample === 1 ? bytes.map((byte) => byte ^ 0x80) : bytes);
    const frameBytes = this.#channels.length * bytesPerSample;
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min((bytes.length - at) / frameBytes, BLOCK_SAMPLES - this.#count);
      for (const [i, samples] of this.#channels.entries()) {
        const from = at + i * bytesPerSample;
        read(samples.subarray(this.#count, this.#count + count), from, frameBytes);
      }
      at += count * frameBytes;
      this.#count += count;
      if (this.#count === BLOCK_SAMPLES) yield this.#frame();
    }
  }

  *end(): Generator<Uint8Array> {
    if (this.#count > 0) yield this.#frame();
    this.#digest = this.#md5.digest();
  }

  /** The mark of the file, and the block STREAMINFO as the last one (RFC 9639 §8.2). */
  head(): Buffer {
    const { sampleRate, channels, bytesPerSample } = this.#format;
    const head = Buffer.alloc(8 + 34);
    head.write('fLaC\x80\0\0\x22', 'latin1');
    head.writeUInt16BE(BLOCK_SAMPLES, 8);
    head.writeUInt16BE(BLOCK_SAMPLES, 10);
    head.writeUIntBE(this.#smallest, 12, 3);
    head.writeUIntBE(this.#largest, 15, 3);
    const high = Math.floor(this.#samples / 2 ** 32);
    const packed = sampleRate * 2 ** 12 + ((channels - 1) << 9) + ((bytesPerSample * 8 - 1) << 4);
    head.writeUInt32BE(packed + high, 18);
    head.writeUInt32BE(this.#samples % 2 ** 32, 22);
    this.#digest.copy(head, 26);
    return head;
  }

  #frame(): Uint8Array {
    const count = this.#count;
    const bits = this.#format.bytesPerSample * 8;
    const channels = this.#channels.map((samples) => samples.subarray(0, count));
    const wasted = wastedBits(channels);
    if (wasted > 0) for (const samples of channels) shiftRight(samples, wasted);
    const { code, subframes } = chosen(channels, bits - wasted, wasted);
    const out = new BitWriter();
    this.#writeHeader(out, code);
    for (const subframe of subframes) subframe.write(out);
    out.align();
    out.write(crc16(out.bytes, 0, out.length, 0), 16);
    const frame = out.bytes.subarray(0, out.length);
    this.#smallest = Math.min(this.#smallest || frame.length, frame.length);
    this.#largest = Math.max(this.#largest, frame.length);
    this.#samples += count;
    this.#frames++;
    this.#count = 0;
    return frame;
  }

  /** RFC 9639 §9.1. */
  #writeHeader(out: BitWriter, channelCode: number): void {
    const { sampleRate, bytesPerSample } = this.#format;
    const isWhole = this.#count === BLOCK_SAMPLES;
    out.write(0xfff8, 16);
    out.write(isWhole ? 12 : 7, 4);
    // Without a code, the rate is that of STREAMINFO.
    out.write(Math.max(0, RATES.indexOf(sampleRate)), 4);
    out.write(channelCode, 4);
    out.write(SAMPLE_SIZES.indexOf(bytesPerSample * 8), 3);
    out.write(0, 1);
    writeNumber(out, this.#frames);
    if (!isWhole) out.write(this.#count - 1, 16);
    out.write(crc8(out.bytes, 0, out.length), 8);
  }
}

/** Codes of channels in a header: the number of separate ones less 1, or how two are joined. */
const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;

/** Returns the shortest of the forms of the channels. */
function chosen(
  channels: readonly Int32Array[],
  bits: number,
  wasted: number,
): { code: number; subframes: Subframe[] } {
  const subframes = channels.map((samples) => subframeOf(samples, bits, wasted));
  const separate = { code: channels.length - 1, subframes };
  // The lowest bit of the sum of two samples is not stored, so it must be that of their difference.
  if (channels.length !== 2 || bits > MAX_JOINED_BITS || wasted > 0) return separate;
  const [left, right] = channels as [Int32Array, Int32Array];
  const [l, r] = subframes as [Subframe, Subframe];
  const side = subframeOf(
    left.map((sample, i) => sample - right[i]!),
    bits + 1,
    0,
  );
  const mid = subframeOf(
    left.map((sample, i) => (sample + right[i]!) >> 1),
    bits,
    0,
  );
  const forms = [
    separate,
    { code: LEFT_SIDE, subframes: [l, side] },
    { code: SIDE_RIGHT, subframes: [side, r] },
    { code: MID_SIDE, subframes: [mid, side] },
  ];
  const lengthOf = (form: typeof separate) =>
    form.subframes.reduce((sum, { length }) => sum + length, 0);
  return forms.reduce((best, form) => (lengthOf(form) < lengthOf(best) ? form : best));
}

/** Returns what reads samples of a channel from an offset on, at a distance. */
function sampleReader(bytes: Uint8Array, bytesPerSample: number) {
  const view = viewOf(bytes);
  const readOne = [
    (at: number) => view.getUint8(at) - 128,
    (at: number) => view.getInt16(at, true),
    (at: number) => (view.getInt8(at + 2) << 16) | view.getUint16(at, true),
    (at: number) => view.getInt32(at, true),
  ][bytesPerSample - 1]!;
  return (samples: Int32Array, from: number, distance: number) => {
    for (let i = 0, at = from; i < samples.length; i++, at += distance) samples[i] = readOne(at);
  };
}

function shiftRight(samples: Int32Array, bits: number): void {
  for (let i = 0; i < samples.length; i++) samples[i] = samples[i]! >> bits;
}

/** Writes a number in the encoding of UTF-8, as `codedNumber` reads it. */
function writeNumber(out: BitWriter, number: number): void {
  if (number < 0x80) {
    out.write(number, 8);
    return;
  }
  let more = 1;
  while (number >= 2 ** (6 - more + 6 * more)) more++;
  out.write(((0xff << (7 - more)) & 0xff) | (number >> (6 * more)), 8);
  for (let i = more - 1; i >= 0; i--) out.write(0x80 | ((number >> (6 * i)) & 0x3f), 8);
}
