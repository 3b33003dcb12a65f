/** What a secret belongs to, and with it its tokens. */
export const MODES = ['test', 'live'] as const;
/** Which secret a token came from; what a client writes is kept apart by it. */
export type Mode = (typeof MODES)[number];

/** Scopes of the endpoints (decisions §2). */
export const SCOPES = ['tracks', 'search', 'filters', 'playlists', 'analytics'] as const;
/** Contract features, off until switched on for a client; each is also the scope of its endpoints. */
export const FEATURES = [
  'changes',
  'usage',
  'similar',
  'webhooks',
  'previews',
  'saved-searches',
  'licensing',
  'stems',
  'localization',
] as const;

/** A contract feature. */
export type Feature = (typeof FEATURES)[number];
/** What a token may be allowed to do. */
export type Scope = (typeof SCOPES)[number] | Feature;
/** In the order in which they are shown. */
export const ALL_SCOPES: readonly Scope[] = [...SCOPES, ...FEATURES];

/** Requests a minute where a client has no limit of its own (specification, Limits). */
export const DEFAULT_RATE_LIMIT = 600;

/** How many live secrets a client may have in one mode at a time. */
export const MAX_LIVE_SECRETS = 2;

/** A secret as it is stored: never in clear. Times in milliseconds since the epoch. */
export interface ClientSecret {
  id: string;
  mode: Mode;
  /** SHA-256 of the secret, 64 hex digits. Enough, for a secret carries 160 random bits. */
  hash: string;
  createdAt: number;
  revokedAt: number | null;
}

/** A partner's client. */
export interface Client {
  id: string;
  name: string;
  scopes: Scope[];
  features: Feature[];
  /** Requests a minute; null: the default. */
  rateLimit: number | null;
  enabled: boolean;
  createdAt: number;
  /** Live and revoked ones, oldest first. */
  secrets: ClientSecret[];
  /** Playlists granted to it. */
  playlistIds: string[];
}

/** What a key signs. */
export type KeyPurpose = 'token' | 'url';

/** A key that signs tokens or URLs. The newest of a purpose signs; retired ones verify for an hour. */
export interface SigningKey {
  id: string;
  purpose: KeyPurpose;
  /** 32 random bytes. */
  secret: Buffer;
  createdAt: number;
  retiredAt: number | null;
}
