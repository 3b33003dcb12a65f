import type { Feature, Mode, Scope } from './client.ts';

/** The caller of a request: what its verified token says, limited to what its client still holds. */
export interface Caller {
  clientId: string;
  name: string;
  secretId: string;
  mode: Mode;
  /** The scopes of the token that the client still holds. */
  scopes: ReadonlySet<Scope>;
  features: ReadonlySet<Feature>;
  /** Requests per minute. */
  rateLimit: number;
  /** The account of the client; null for one of its own. */
  account: string | null;
  /** In milliseconds since the epoch. */
  tokenExpiresAt: number;
}
