import { createMp3Encoder } from 'wasm-media-encoders';
import type { AudioBlock } from '../audio-block.ts';
import { Resampler } from '../resample.ts';
import { stereoOf } from './downmix.ts';
import { infoFrame, type Mp3Kbps, mp3Rate, mp3Samples } from './mp3-layout.ts';

/** The length of audio that is known before it is decoded. */
export interface AudioLength {
  sampleRate: number;
  /** Of each channel. */
  samples: number;
}

const ENCODED_AT_ONCE = 65_536;

/**
 * Yields an MP3 file of constant bit rate without tags, piece by piece: two channels in joint stereo, at 44.1 or 48 kHz.
 * Each piece is valid until the next one. Equal blocks give equal bytes. The memory does not depend on the length.
 *
 * With a length, the audio is cut or filled up with silence to that length, so that the size of the file is `mp3Bytes`.
 * Without one, the first piece must be replaced by the bytes that are returned at the end.
 */
export async function* encodeMp3(
  blocks: AsyncIterable<AudioBlock>,
  kbps: Mp3Kbps,
  length: AudioLength | undefined,
): AsyncGenerator<Uint8Array, Uint8Array> {
  let encoding: Mp3Encoding | undefined;
  for await (const block of blocks) {
    if (encoding === undefined) {
      const rate = mp3Rate(length?.sampleRate ?? block.sampleRate);
      const samples = length && mp3Samples(length.samples, length.sampleRate);
      yield infoFrame(samples ?? 0, kbps, rate);
      encoding = await Mp3Encoding.begin({ from: block.sampleRate, rate, kbps, samples });
    }
    yield* encoding.add(block);
    if (encoding.isComplete) break;
  }
  if (encoding === undefined) throw new Error('there are no blocks to encode');
  yield* encoding.end();
  return infoFrame(encoding.samples, kbps, encoding.rate);
}

class Mp3Encoding {
  readonly rate: 44_100 | 48_000;
  /** Of each channel, without what the encoder adds. */
  samples = 0;
  readonly #encoder: Awaited<ReturnType<typeof createMp3Encoder>>;
  readonly #resampler: Resampler;
  /** Undefined until the end: all samples. */
  readonly #most: number | undefined;

  private constructor(
    encoder: Awaited<ReturnType<typeof createMp3Encoder>>,
    { from, rate, samples }: { from: number; rate: 44_100 | 48_000; samples: number | undefined },
  ) {
    this.#encoder = encoder;
    this.#resampler = new Resampler(from, rate);
    this.#most = samples;
    this.rate = rate;
  }

  static async begin(options: {
    from: number;
    rate: 44_100 | 48_000;
    kbps: Mp3Kbps;
    samples: number | undefined;
  }): Promise<Mp3Encoding> {
    const { rate, kbps } = options;
    const encoder = await createMp3Encoder();
    encoder.configure({ channels: 2, sampleRate: rate, outputSampleRate: rate, bitrate: kbps });
    return new Mp3Encoding(encoder, options);
  }

  get isComplete(): boolean {
    return this.samples === this.#most;
  }

  *add(block: AudioBlock): Generator<Uint8Array> {
    yield* this.#encode(this.#resampler.push(stereoOf(block)));
  }

  *end(): Generator<Uint8Array> {
    yield* this.#encode(this.#resampler.end());
    while (this.#most !== undefined && this.samples < this.#most) {
      const silence = new Float32Array(Math.min(ENCODED_AT_ONCE, this.#most - this.samples));
      yield* this.#encode([silence, silence]);
    }
    yield this.#encoder.finalize();
  }

  *#encode(channels: readonly Float32Array[]): Generator<Uint8Array> {
    const left = (this.#most ?? Number.POSITIVE_INFINITY) - this.samples;
    const count = Math.min(channels[0]?.length ?? 0, left);
    for (let at = 0; at < count; at += ENCODED_AT_ONCE) {
      const end = Math.min(count, at + ENCODED_AT_ONCE);
      yield this.#encoder.encode(channels.map((samples) => samples.subarray(at, end).map(limited)));
      this.samples += end - at;
    }
  }
}

function limited(sample: number): number {
  return Math.max(-1, Math.min(1, sample));
}
