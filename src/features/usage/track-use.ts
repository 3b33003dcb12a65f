/** What a client has reported of a track in one mode. */
export interface TrackUse {
  events: number;
  /** The time of the last event, in milliseconds since the epoch; null if there is none. */
  lastOccurredAt: number | null;
}
