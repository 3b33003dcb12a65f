import type { Allocate } from '../../catalog/document-copy.ts';
import type { TrackDocument } from '../../catalog/track.ts';

/** Documents of tracks in the requested order; undefined for tracks that are not live. */
export type ReadDocuments = readonly (TrackDocument | undefined)[];

/**
 * Reads serialized tracks by row id. Synchronous if the store need not be read. The documents may refer to
 * memory from `allocate`.
 */
export interface DocumentSource {
  documents(
    numbers: readonly number[],
    allocate?: Allocate,
  ): ReadDocuments | Promise<ReadDocuments>;
}
