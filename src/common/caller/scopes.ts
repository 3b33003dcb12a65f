/** The modes that a secret, and with it its tokens, can belong to. */
export const MODES = ['test', 'live'] as const;
/** The mode of a token. Data that clients write is separated by mode. */
export type Mode = (typeof MODES)[number];

/** The scopes of the endpoints (docs/contract/authentication.md#scopes). */
export const SCOPES = ['tracks', 'search', 'filters', 'playlists', 'analytics'] as const;
/**
 * The contract features, which are off until they are enabled for a client. Each is also the scope of its
 * endpoints.
 */
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
/** What a token can be allowed to do. */
export type Scope = (typeof SCOPES)[number] | Feature;
/** All scopes in the order in which they are shown. */
export const ALL_SCOPES: readonly Scope[] = [...SCOPES, ...FEATURES];
