import type { Readable } from 'node:stream';
import type { SampleFormat } from '../../engines/audio/lossless/sample-format.ts';
import type { Mp3Kbps } from '../../engines/audio/mp3/mp3-layout.ts';
import type { ByteRange } from '../../engines/blobs/media-store.ts';

/** Makes files of audio in another format, for streams and licensed files. `features/renditions` implements it. */
export interface Conversions {
  /**
   * Returns the file of audio after a prefix, such as a tag; undefined if no node of this service can make it. Throws
   * `unavailable` if it must be made before its length is known, and that takes too long.
   */
  open(
    source: ConversionSource,
    target: ConversionTarget,
    prefix?: Uint8Array,
  ): Promise<Converted | undefined>;
  /** Returns what is known of a file without making it. */
  look(source: ConversionSource, target: ConversionTarget): Promise<KnownConversion>;
}

/** The audio of which a file is made. */
export interface ConversionSource {
  audioKey: string;
  /** Of each channel; null if that is unknown. */
  samples: number | null;
  sampleRate: number | null;
}

/** An MP3 has by default the bit rate of streams. */
export type ConversionTarget =
  | { format: 'mp3'; kbps?: Mp3Kbps }
  | { format: 'wav'; samples: SampleFormat }
  | { format: 'flac' };

interface KnownConversion {
  /** The length of the file; undefined if only making it tells it. */
  bytes: number | undefined;
  /** Why the file cannot be made; a line for people. */
  failure: string | undefined;
}

/** The bytes of a file, of which some may not be made yet. */
export interface Converted {
  /** Strong, with its quotes. */
  etag: string;
  /** Whether all of them were made when it was looked up. */
  isMade: boolean;
  /** The first bytes, which are known before the others are made. */
  head: Buffer;
  sizeBytes(): Promise<number>;
  /** Throws `unavailable` if the first byte is not made in time. */
  open(range?: ByteRange): Promise<Readable>;
}
