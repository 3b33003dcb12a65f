/** A playlist as the operator keeps it. */
export interface Playlist {
  id: string;
  name: string;
  slug: string;
  description: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

/** A playlist with what its live tracks add up to; taken-down ones keep their place but count nothing. */
export interface PlaylistSummary extends Playlist {
  trackCount: number;
  durationSeconds: number;
}

/** A playlist with the tracks it lists, in order, taken-down ones included. */
export interface PlaylistWithTracks extends Playlist {
  trackIds: string[];
}
