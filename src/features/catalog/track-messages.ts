/** The message of a supplier that decided last about a track. The track need not exist. */
export interface TrackMessage {
  trackId: string;
  /** When the sender created the message, in milliseconds since the epoch. */
  sentAt: number;
  /** The ids that an import derives of the releases that contain the recording: 10 at most. */
  releases: readonly string[];
}

/** The most tracks of one call. */
export const MAX_TRACKS = 100;
/** The most releases of one track. */
export const MAX_RELEASES = 10;

/**
 * Remembers in which order messages decided about tracks, and of which releases these are. The changes are not logged. An
 * undo of an import forgets the messages of the tracks that it changes.
 */
export interface TrackMessageStore {
  /** Returns when the last message about each of these tracks was created, for those of which there is one. */
  sentAt(trackIds: readonly string[]): Promise<Map<string, number>>;
  /** Returns tracks of which one of these releases is recorded: those after an id, in the order of ids, 100 at most. */
  tracksOf(
    releases: readonly string[],
    after: string,
  ): Promise<{ trackId: string; sentAt: number }[]>;
  /** Replaces what is recorded of each of these tracks, which differ: 100 at most. */
  record(messages: readonly TrackMessage[]): Promise<void>;
}
