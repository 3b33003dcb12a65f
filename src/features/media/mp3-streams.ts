import type { Readable } from 'node:stream';
import type { ByteRange } from '../../engines/blobs/media-store.ts';

/** Makes MP3s of audio for streams. `features/renditions` implements it. */
export interface Mp3Streams {
  /**
   * Returns the MP3 of an audio file after a prefix, such as a tag; undefined if no node of this service can make it.
   * Throws `unavailable` if it must be made before its length is known, and that takes too long.
   *
   * @param source.samples of each channel; null if that is unknown
   */
  open(
    source: { audioKey: string; samples: number | null; sampleRate: number | null },
    prefix: Uint8Array,
  ): Promise<Mp3 | undefined>;
}

/** The bytes of an MP3, of which some may not be made yet. */
export interface Mp3 {
  /** Strong, with its quotes. */
  etag: string;
  sizeBytes(): Promise<number>;
  /** Throws `unavailable` if the first byte is not made in time. */
  open(range?: ByteRange): Promise<Readable>;
}
