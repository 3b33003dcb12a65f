import type { Feature, Mode, Scope } from './client.ts';

/** Who is calling: what a verified token says, narrowed to what its client still holds. */
export interface Caller {
  clientId: string;
  name: string;
  secretId: string;
  mode: Mode;
  /** What the token names and the client still holds. */
  scopes: ReadonlySet<Scope>;
  features: ReadonlySet<Feature>;
  /** Requests a minute. */
  rateLimit: number;
  /** Ids of the playlists granted to the client. */
  playlistIds: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  tokenExpiresAt: number;
}
