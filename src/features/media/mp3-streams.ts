import type { Representation } from '../../engines/http/response/representation.ts';

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
  ): Promise<Pick<Representation, 'etag' | 'sizeBytes' | 'open'> | undefined>;
}
