import { flacFrameAt } from './flac-frame.ts';

/** The longest frame that is looked for: 65,536 samples of 8 channels with 32 bits take 2 MiB. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** The length of an ID3v1 tag, which some programs append. */
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
        if (await this.#isHeader(0)) {
          return true;
        }
        this.#drop(1);
      }
      if (this.#bytes.length === 0 && !(await this.#readMore())) {
        return false;
      }
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
          if (crc === 0) {
            return at;
          }
        }
        from = at + 1;
      } else {
        from = this.#bytes.length;
        if (!(await this.#readMore())) {
          return this.#lastFrameLength();
        }
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
    if (this.#isAtEnd) {
      return false;
    }
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

/** The checksum of a frame, continued from `crc`; 0 over a whole frame with its checksum. */
export function crc16(bytes: Uint8Array, from: number, to: number, crc: number): number {
  let value = crc;
  for (let at = from; at < to; at++) {
    value = ((value << 8) & 0xffff) ^ CRC16_TABLE[(value >> 8) ^ bytes[at]!]!;
  }
  return value;
}
