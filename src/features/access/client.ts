import type { Feature, Mode, Scope } from '../../common/caller.ts';

/** Requests per minute of a client without a limit of its own (docs/contract/limits.md#rate-limit). */
export const DEFAULT_RATE_LIMIT = 600;

/** The rate card of a client without one of its own. */
export const STANDARD_RATE_CARD = 'standard';

/** The greatest number of live secrets of a client in one mode. */
export const MAX_LIVE_SECRETS = 2;

/** A stored secret, which is never in clear text. Times are in milliseconds since the epoch. */
export interface ClientSecret {
  id: string;
  mode: Mode;
  /**
   * The SHA-256 of the secret, 64 hex digits. A plain hash is sufficient because a secret has at least 160
   * random bits.
   */
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
  /** Requests per minute; null for the default. */
  rateLimit: number | null;
  /** The account whose clients may share collections with each other; null for an account of its own. */
  account: string | null;
  /** The name of the rate card that prices its quotes; null for STANDARD_RATE_CARD. */
  rateCard: string | null;
  enabled: boolean;
  createdAt: number;
  /** Live and revoked secrets, oldest first. */
  secrets: ClientSecret[];
  /** The ids of the playlists that are granted to it. */
  playlistIds: string[];
}

/** What a key signs. */
export type KeyPurpose = 'token' | 'url';

/** A key that signs tokens or URLs. The newest key of a purpose signs; retired keys verify for an hour. */
export interface SigningKey {
  id: string;
  purpose: KeyPurpose;
  /** 32 random bytes. */
  secret: Buffer;
  createdAt: number;
  retiredAt: number | null;
}

/** The members of a client that an update may change. */
export type ClientChange = Partial<
  Pick<Client, 'name' | 'scopes' | 'features' | 'rateLimit' | 'account' | 'rateCard' | 'enabled'>
>;

/** Whether the names of new clients must differ from those of the stored ones. */
export interface NameRule {
  /** Checked under the write lock. */
  isNewName: boolean;
}
