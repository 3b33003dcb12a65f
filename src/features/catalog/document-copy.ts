import type { TrackDocument } from './track.ts';

/** The documents of a catalog of fewer tracks fit into memory, so it has no copy. */
export const COPY_FROM = 20_000;

/** A document of a live track in parts, so that a filter is stored once and not with each of its tracks. */
export interface DocumentParts extends Pick<TrackDocument, 'artworkKey' | 'streamExtension'> {
  rowId: number;
  /** The text up to the first filter. It begins with the id. */
  before: string;
  /** The row ids of the filters, in order. */
  filters: readonly number[];
  /** The text after the last filter, without the closing brace of the track. */
  after: string;
}

/** A filter as it appears in documents. Its row id is never given to another filter, and its text never changes. */
export interface FilterText {
  rowId: number;
  /** A JSON object. */
  json: string;
}

/** Where a copy of documents is in its file, as plain data that the threads of a process share. */
export interface DocumentColumns {
  /** Identifies the file. */
  id: string;
  /** The copy contains every change of a track up to this `seq`. It may contain later ones. */
  seq: number;
  size: number;
  /** The record of the track with row id `i` is at `starts[i]` to `starts[i + 1]`, in units of 8 bytes. */
  starts: Uint32Array;
  /** The texts of the filters in UTF-8, each after a comma. */
  filters: Uint8Array;
  /** The text of the filter with row id `i` is at `filterStarts[i]` to `filterStarts[i + 1] - 1`. */
  filterStarts: Uint32Array;
}

/** Returns a buffer of this length with any content. */
export type Allocate = (bytes: number) => Buffer;

export type RowIds = Pick<ReadonlySet<number>, 'has'>;

/** A copy of the documents of all live tracks, as of a position in the change log. Reading it is synchronous. */
export interface DocumentCopy {
  readonly seq: number;
  /**
   * The documents in the order of the row ids; undefined for tracks in `except`, and for those that the copy does
   * not contain or that cannot be read. They refer to a buffer from `allocate`; by default, a new one.
   */
  read(
    tracks: readonly number[],
    except: RowIds,
    allocate?: Allocate,
  ): (TrackDocument | undefined)[];
  close(): void;
}

/** Writes the copy of the documents of a large catalog, outside of the thread that serves. */
export interface DocumentMaker {
  /** Sets the function that receives each copy. */
  onColumns(take: (columns: DocumentColumns) => void): void;
  /**
   * Opens the copy of the last run or, if it is unusable or `isOutdated`, writes a new one. Does nothing while an
   * earlier request is in progress.
   */
  request(isOutdated: boolean): void;
  close(): Promise<void>;
}
