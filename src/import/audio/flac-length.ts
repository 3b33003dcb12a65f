import type { FileHandle } from 'node:fs/promises';

/** How many bytes at the end are searched. The largest frame of a usual file is a tenth of it. */
const TAIL_BYTES = 512 * 1024;

/**
 * Returns the duration of a FLAC file in seconds, computed from the numbers of its last frames (RFC
 * 9639 §9.1), because the sample count in the header may be absent or wrong. Undefined if the end
 * of the file has no two consecutive frames.
 */
export async function flacLengthSeconds(
  file: FileHandle,
  sizeBytes: number,
  sampleRate: number,
): Promise<number | undefined> {
  const length = Math.min(TAIL_BYTES, sizeBytes);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, sizeBytes - length);
  const frames = framesIn(buffer);
  for (let i = frames.length - 1; i > 0; i--) {
    const last = frames[i]!;
    // Random bytes sometimes look like a frame header, but almost never like two consecutive ones.
    const before = frames.findLast(
      (frame, j) =>
        j < i &&
        frame.isVariable === last.isVariable &&
        frame.number + (frame.isVariable ? frame.samples : 1) === last.number,
    );
    if (before !== undefined) {
      const start = last.isVariable ? last.number : last.number * before.samples;
      return (start + last.samples) / (last.sampleRate ?? sampleRate);
    }
  }
  return undefined;
}

interface Frame {
  /** The number of the first sample if block sizes vary, otherwise the number of the frame. */
  number: number;
  samples: number;
  isVariable: boolean;
  /** Undefined if the frame takes the rate from the header of the file. */
  sampleRate: number | undefined;
}

function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = frameAt(bytes, at);
    if (frame !== undefined) {
      frames.push(frame);
    }
  }
  return frames;
}

const RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/**
 * Parses the frame header at this position: sync code, no reserved value, correct checksum (RFC
 * 9639 §9.1).
 */
function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + 6 > bytes.length || (bytes[at + 1]! & 0xfe) !== 0xf8) {
    return undefined;
  }
  const sizeCode = bytes[at + 2]! >> 4;
  const rateCode = bytes[at + 2]! & 0x0f;
  const isReserved =
    sizeCode === 0 || rateCode === 15 || bytes[at + 3]! >> 4 > 10 || (bytes[at + 3]! & 1) === 1;
  if (isReserved) {
    return undefined;
  }
  const coded = codedNumber(bytes, at + 4);
  if (coded === undefined) {
    return undefined;
  }
  let next = coded.next;
  // The longest rest of a header: a block size of two bytes, a rate of two bytes, the checksum.
  if (next + 5 > bytes.length) {
    return undefined;
  }
  const samples = blockSize(sizeCode, bytes, next);
  next += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  let sampleRate: number | undefined = RATES[rateCode] || undefined;
  if (rateCode === 12) {
    sampleRate = bytes[next]! * 1000;
  } else if (rateCode > 12) {
    sampleRate = bytes.readUInt16BE(next) * (rateCode === 14 ? 10 : 1);
  }
  next += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  if (crc8(bytes, at, next) !== bytes[next] || sampleRate === 0) {
    return undefined;
  }
  return { number: coded.number, samples, isVariable: (bytes[at + 1]! & 1) === 1, sampleRate };
}

function blockSize(code: number, bytes: Buffer, at: number): number {
  switch (code) {
    case 1:
      return 192;
    case 6:
      return bytes[at]! + 1;
    case 7:
      return bytes.readUInt16BE(at) + 1;
    default:
      return code < 6 ? 144 << code : 1 << code;
  }
}

/** Decodes a number of up to 36 bits in the encoding of UTF-8 (RFC 9639 §9.1.5). */
function codedNumber(bytes: Buffer, at: number): { number: number; next: number } | undefined {
  const first = bytes[at]!;
  if (first < 0x80) {
    return { number: first, next: at + 1 };
  }
  const length = Math.clz32(~(first << 24));
  if (length < 2 || length > 7) {
    return undefined;
  }
  let number = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i]!;
    if ((byte & 0xc0) !== 0x80) {
      return undefined;
    }
    number = number * 64 + (byte & 0x3f);
  }
  return { number, next: at + length };
}

function crc8(bytes: Buffer, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at++) {
    crc ^= bytes[at]!;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
    }
  }
  return crc;
}
