import type { Readable } from 'node:stream';
import type { Mp3Kbps } from '../../engines/audio/mp3/mp3-layout.ts';
import type { ByteRange } from '../../engines/blobs/media-store.ts';

/** Makes MP3s of audio, for streams and licensed files. `features/renditions` implements it. */
export interface Mp3Streams {
  /**
   * Returns the MP3 of an audio file after a prefix, such as a tag; undefined if no node of this service can make it.
   * Throws `unavailable` if it must be made before its length is known, and that takes too long.
   *
   * @param kbps by default that of streams
   */
  open(source: Mp3Source, prefix: Uint8Array, kbps?: Mp3Kbps): Promise<Mp3 | undefined>;
}

/** The audio that an MP3 is made of. */
export interface Mp3Source {
  audioKey: string;
  /** Of each channel; null if that is unknown. */
  samples: number | null;
  sampleRate: number | null;
}

/** The bytes of an MP3, of which some may not be made yet. */
export interface Mp3 {
  /** Strong, with its quotes. */
  etag: string;
  sizeBytes(): Promise<number>;
  /** Throws `unavailable` if the first byte is not made in time. */
  open(range?: ByteRange): Promise<Readable>;
}
