import CodecParser, { type OggPage, type OpusHeader } from 'codec-parser';
import { OpusDecoder } from 'opus-decoder';

export interface Decoded {
  channelData: Float32Array[];
  samplesDecoded: number;
  sampleRate: number;
  bitDepth: number;
}

/**
 * Decodes the Opus stream of an Ogg file. The package `ogg-opus-decoder` does the same, but depends on a model for speech of
 * 18 MB, which Stave does not use.
 */
export class OggOpusDecoder {
  readonly ready: Promise<void> = Promise.resolve();
  readonly #parser = new CodecParser<OggPage>('application/ogg', { enableFrameCRC32: false });
  #decoder: OpusDecoder | undefined;
  #samples = 0;
  #hasEnded = false;

  /** @param bytes any part of the file, after those before it */
  decode(bytes: Uint8Array): Promise<Decoded> {
    return this.#decode(this.#parser.parseChunk(bytes));
  }

  flush(): Promise<Decoded> {
    return this.#decode(this.#parser.flush());
  }

  free(): void {
    this.#decoder?.free();
  }

  async #decode(read: Iterator<OggPage>): Promise<Decoded> {
    const pages = this.#hasEnded ? [] : [...(read as IterableIterator<OggPage>)];
    const last = pages.findIndex(({ isLastPage }) => isLastPage);
    if (last >= 0) {
      this.#hasEnded = true;
      pages.length = last + 1;
    }
    const frames = pages.flatMap(({ codecFrames }) => codecFrames);
    const [first] = frames;
    if (first === undefined) return { ...FORMAT, channelData: [], samplesDecoded: 0 };
    this.#decoder ??= new OpusDecoder(settingsOf(first.header as OpusHeader));
    await this.#decoder.ready;
    const { channelData, samplesDecoded } = this.#decoder.decodeFrames(
      frames.map(({ data }) => data),
    );
    this.#samples += samplesDecoded;
    // The position of the last page says how many samples of its last packet count (RFC 7845 §4.4).
    const excess = last < 0 ? 0 : Math.max(0, this.#samples - pages[last]!.totalSamples);
    const samples = Math.max(0, samplesDecoded - excess);
    return {
      ...FORMAT,
      channelData: channelData.map((channel) => channel.subarray(0, samples)),
      samplesDecoded: samples,
    };
  }
}

const FORMAT = { sampleRate: 48_000, bitDepth: 16 };

function settingsOf({
  channels,
  streamCount,
  coupledStreamCount,
  channelMappingTable,
  preSkip,
}: OpusHeader) {
  return { channels, streamCount, coupledStreamCount, channelMappingTable, preSkip };
}
