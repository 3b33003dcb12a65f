import type { LanguageView } from '../../../common/caller.ts';
import type { Allocate } from '../../catalog/document-copy.ts';
import type { TrackDocument } from '../../catalog/track.ts';

/** Documents of tracks in the requested order; undefined for tracks that are not live. */
export type ReadDocuments = readonly (TrackDocument | undefined)[];

/**
 * Reads serialized tracks by row id. Synchronous if the store need not be read. The documents may refer to
 * memory from `allocate`. With a view, they are shown in its language.
 */
export interface DocumentSource {
  documents(
    numbers: readonly number[],
    allocate?: Allocate,
    view?: LanguageView,
  ): ReadDocuments | Promise<ReadDocuments>;
  readonly languages: {
    /** Returns a document of any track as it is shown in a view. */
    document(document: TrackDocument, view: LanguageView): Promise<TrackDocument>;
  };
}
