import type { Mode } from '../../common/caller.ts';
import type { TrackUse } from '../usage/usage.ts';

/** The most playlists, collections and licenses that are named, of each. */
export const MAX_REFERENCES = 1_000;

interface ReferringPlaylist {
  id: string;
  name: string;
  slug: string;
}

interface ReferringCollection {
  id: string;
  name: string;
}

/** A license of a track. Times are in milliseconds since the epoch. */
interface ReferringLicense {
  number: string;
  startsAt: number;
  endsAt: number | null;
  revokedAt: number | null;
}

/** What refers to a track, of one client in one mode. */
export interface TrackReferences {
  trackId: string;
  state: 'live' | 'taken_down';
  /** The time of the takedown or the withdrawal, in milliseconds since the epoch; null for a live track. */
  since: number | null;
  /** The granted playlists that contain the track, by name and then by id; at most MAX_REFERENCES. */
  playlists: readonly ReferringPlaylist[];
  /** The client's collections that contain the track, likewise. */
  collections: readonly ReferringCollection[];
  /** The client's licenses of the track, in any state, newest first; at most MAX_REFERENCES. */
  licenses: readonly ReferringLicense[];
  /** Whether one of the lists has more. */
  isTruncated: boolean;
  usage: TrackUse;
}

interface HoldingCollection extends ReferringCollection {
  mode: Mode;
  clientId: string;
  clientName: string;
}

/** A license of a track, of any client. */
interface HeldLicense extends ReferringLicense {
  clientId: string;
  /** Null if the client was deleted. */
  clientName: string | null;
  mode: Mode;
  issuedAt: number;
}

/** What refers to some tracks, of all clients in both modes, for the operator. At most MAX_REFERENCES of each. */
export interface TrackHolders {
  /** The playlists that contain one of the tracks, by name. */
  playlists: readonly ReferringPlaylist[];
  /** The clients to which one of these playlists is granted, by name. */
  clients: readonly { clientId: string; name: string }[];
  /** The collections that contain one of the tracks, by the name of the client. */
  collections: readonly HoldingCollection[];
  /** The licenses of the tracks, whatever their state, newest first. */
  licenses: readonly HeldLicense[];
  /** Whether there are more of one of them. */
  isTruncated: boolean;
}
