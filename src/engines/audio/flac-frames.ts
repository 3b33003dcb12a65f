import { viewOf } from './byte-source.ts';

/** 65,536 samples of 8 channels with 32 bits take 2 MiB. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Some programs append an ID3v1 tag. */
const ID3V1_BYTES = 128;

/**
 * Splits the bytes of a FLAC file into its frames. A frame does not contain its length: it ends where its
 * checksum is correct and the next frame, the end of the file, or an ID3v1 tag follows.
 */
export class FlacFrames {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #bytes = Buffer.alloc(0);
  #isAtEnd = false;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Each frame is a new array. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (await this.#goToHeader()) {
      const length = await this.#frameLength();
      if (length === undefined) {
        this.#drop(1);
      } else {
        yield Uint8Array.from(this.#bytes.subarray(0, length));
        this.#drop(length);
      }
    }
  }

  /** Drops the bytes before the next frame header. Returns false if there is none. */
  async #goToHeader(): Promise<boolean> {
    for (;;) {
      const at = this.#bytes.indexOf(0xff);
      if (at < 0) {
        this.#drop(this.#bytes.length);
      } else {
        this.#drop(at);
        if (await this.#isHeader(0)) return true;
        this.#drop(1);
      }
      if (this.#bytes.length === 0 && !(await this.#readMore())) return false;
    }
  }

  /** The length of the frame that begins at the first byte; undefined if it is damaged. */
  async #frameLength(): Promise<number | undefined> {
    let crc = 0;
    let checked = 0;
    for (let from = 2; from < MAX_FRAME_BYTES; ) {
      const at = this.#bytes.indexOf(0xff, from);
      if (at >= 0) {
        if (await this.#isHeader(at)) {
          crc = crc16(this.#bytes, checked, at, crc);
          checked = at;
          if (crc === 0) return at;
        }
        from = at + 1;
      } else {
        from = this.#bytes.length;
        if (!(await this.#readMore())) return this.#lastFrameLength();
      }
    }
    return undefined;
  }

  #lastFrameLength(): number | undefined {
    const end = this.#bytes.length;
    const tag = end - ID3V1_BYTES;
    return [end, tag].find((length) => length > 2 && crc16(this.#bytes, 0, length, 0) === 0);
  }

  async #isHeader(at: number): Promise<boolean> {
    // The longest header has 16 bytes.
    while (this.#bytes.length < at + 16 && (await this.#readMore())) {}
    return flacFrameAt(this.#bytes, at) !== undefined;
  }

  async #readMore(): Promise<boolean> {
    if (this.#isAtEnd) return false;
    const next = await this.#pieces.next();
    if (next.done) {
      this.#isAtEnd = true;
      return false;
    }
    this.#bytes = Buffer.concat([this.#bytes, next.value]);
    return true;
  }

  #drop(length: number): void {
    this.#bytes = this.#bytes.subarray(length);
  }
}

/** The remainders of the polynomial x¹⁶ + x¹⁵ + x² + 1 for each byte. */
const CRC16_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) {
    crc = crc & 0x8000 ? (crc << 1) ^ 0x8005 : crc << 1;
  }
  return crc & 0xffff;
});

/** Continues the checksum `crc`. The result is 0 for a whole frame with its checksum. */
export function crc16(bytes: Uint8Array, from: number, to: number, crc: number): number {
  let value = crc;
  for (let at = from; at < to; at++) {
    value = ((value << 8) & 0xffff) ^ CRC16_TABLE[(value >> 8) ^ bytes[at]!]!;
  }
  return value;
}

/** The header of a FLAC frame (RFC 9639 §9.1). */
export interface FlacFrameHeader {
  /** The number of the first sample if block sizes vary, otherwise the number of the frame. */
  number: number;
  samples: number;
  isVariable: boolean;
  /** Undefined if the frame takes the rate from the header of the file. */
  sampleRate: number | undefined;
  /** Undefined if the frame takes the size of a sample from the header of the file. */
  bitsPerSample: number | undefined;
  /** The length of the header in bytes, with its checksum. */
  length: number;
}

export const RATES: readonly number[] = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];
/** In bits, by the code of the header. */
export const SAMPLE_SIZES: readonly (number | undefined)[] = [
  undefined,
  8,
  12,
  undefined,
  16,
  20,
  24,
  32,
];

/**
 * Parses the frame header at this position: sync code, no reserved value, correct checksum (RFC 9639 §9.1). Undefined if
 * there is none, or if the bytes end within it.
 */
export function flacFrameAt(bytes: Uint8Array, at: number): FlacFrameHeader | undefined {
  if (at + 6 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) {
    return undefined;
  }
  const sizeCode = bytes[at + 2]! >> 4;
  const rateCode = bytes[at + 2]! & 0x0f;
  const isReserved =
    sizeCode === 0 || rateCode === 15 || bytes[at + 3]! >> 4 > 10 || (bytes[at + 3]! & 1) === 1;
  if (isReserved) return undefined;
  const coded = codedNumber(bytes, at + 4);
  if (coded === undefined) return undefined;
  let next = coded.next;
  const extra = (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0) + rateBytes(rateCode);
  if (next + extra + 1 > bytes.length) return undefined;
  const samples = blockSize(sizeCode, bytes, next);
  next += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  let sampleRate: number | undefined = RATES[rateCode] || undefined;
  if (rateCode === 12) {
    sampleRate = bytes[next]! * 1000;
  } else if (rateCode > 12) {
    sampleRate = uint16(bytes, next) * (rateCode === 14 ? 10 : 1);
  }
  next += rateBytes(rateCode);
  if (crc8(bytes, at, next) !== bytes[next] || sampleRate === 0) return undefined;
  return {
    number: coded.number,
    samples,
    isVariable: (bytes[at + 1]! & 1) === 1,
    sampleRate,
    bitsPerSample: SAMPLE_SIZES[(bytes[at + 3]! >> 1) & 7],
    length: next + 1 - at,
  };
}

function rateBytes(code: number): number {
  return code === 12 ? 1 : code > 12 ? 2 : 0;
}

function uint16(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 256 + bytes[at + 1]!;
}

function blockSize(code: number, bytes: Uint8Array, at: number): number {
  switch (code) {
    case 1:
      return 192;
    case 6:
      return bytes[at]! + 1;
    case 7:
      return uint16(bytes, at) + 1;
    default:
      return code < 6 ? 144 << code : 1 << code;
  }
}

/** Decodes a number of up to 36 bits in the encoding of UTF-8 (RFC 9639 §9.1.5). */
function codedNumber(bytes: Uint8Array, at: number): { number: number; next: number } | undefined {
  const first = bytes[at]!;
  if (first < 0x80) return { number: first, next: at + 1 };
  const length = Math.clz32(~(first << 24));
  if (length < 2 || length > 7) return undefined;
  let number = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    number = number * 64 + (byte & 0x3f);
  }
  return { number, next: at + length };
}

/** The checksum of a frame header (polynomial x⁸ + x² + x + 1). */
export function crc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at++) {
    crc ^= bytes[at]!;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
    }
  }
  return crc;
}

/** The header of the file must be within the first bytes. */
export const HEADER_BYTES = 64 * 1024;
const STREAMINFO_BYTES = 34;

export interface StreamInfo {
  sampleRate: number;
  /** 0 if the writer did not know it. */
  samples: number;
  channels: number;
  bitsPerSample: number;
}

/** Parses the header of a file (RFC 9639 §8.2). */
export function streamInfo(bytes: Uint8Array): StreamInfo | undefined {
  const view = viewOf(bytes);
  for (let at = 4; at + 4 + STREAMINFO_BYTES <= bytes.length; ) {
    const head = view.getUint32(at);
    const length = head & 0xff_ffff;
    if ((head >>> 24) % 128 === 0 && length === STREAMINFO_BYTES) {
      const packed = view.getUint32(at + 14);
      return {
        sampleRate: packed >>> 12,
        channels: ((packed >>> 9) & 7) + 1,
        bitsPerSample: ((packed >>> 4) & 31) + 1,
        samples: (packed & 15) * 2 ** 32 + view.getUint32(at + 18),
      };
    }
    at += 4 + length;
  }
  return undefined;
}
