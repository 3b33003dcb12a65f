/** A client in one mode. */
export interface ClientMode {
  clientId: string;
  mode: Mode;
}

/** What the person of a seat may do: a listener may not license. */
export const SEAT_ROLES = ['listener', 'buyer'] as const;
export type SeatRole = (typeof SEAT_ROLES)[number];

/** Where a browser token may be used, and by whom. */
export interface BrowserUse {
  /** The digests of the origins of its pages: as texts, twenty origins would make a token of some kilobytes. */
  origins: ReadonlySet<string>;
  /** The digest of the user's name; null for a token that names none. */
  user: string | null;
}

/** The caller of a request: what its verified token says, limited to what its client still holds. */
export interface Caller extends ClientMode {
  name: string;
  /** The id of the secret that the token came from, or of the seat. */
  secretId: string;
  /** The seat that the token came from; null for one of a secret. */
  seat: { id: string; name: string; role: SeatRole } | null;
  /** Whether a session of a browser gave the token: of a seat, or of a secret that is kept. */
  isOfSession?: true;
  /** Where a browser token may be used; null for any other token. */
  browser: BrowserUse | null;
  scopes: ReadonlySet<Scope>;
  features: ReadonlySet<Feature>;
  /** Requests per minute. */
  rateLimit: number;
  /** The account of the client; null for one of its own. */
  account: string | null;
  /** In milliseconds since the epoch. */
  tokenExpiresAt: number;
  /** How the caller sees texts; only with localization, on operations that show texts. */
  language?: LanguageView;
}

/** How a caller sees texts: `languages.ts` of the catalog chooses it. */
export interface LanguageView {
  /** The chosen language; undefined for the original of all texts. */
  readonly language: string | undefined;
  /** The language and its shorter forms, in the order in which a text is searched; empty for the original. */
  readonly chain: readonly string[];
  /** The language of texts that name none. */
  readonly original: string;
  /** The language of the response: the chosen one, or that of the catalog. */
  readonly contentLanguage: string;
}

/** Whether the tracks that the caller sees have URLs of previews: only if its client has the feature, and its token the scope. */
export function seesPreviews({ features, scopes }: Caller): boolean {
  return features.has('previews') && scopes.has('previews');
}

/** Whether a caller sees, and searches, texts in other languages than the original. */
export function seesLanguages({ features, scopes }: Pick<Caller, 'features' | 'scopes'>): boolean {
  return features.has('localization') && scopes.has('localization');
}

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

export type Feature = (typeof FEATURES)[number];
export type Scope = (typeof SCOPES)[number] | Feature;
/** All scopes in the order in which they are shown. */
export const ALL_SCOPES: readonly Scope[] = [...SCOPES, ...FEATURES];

/** Who caused a change, as the change log shows it: `cli:anna`, `system:demo`. */
export type Actor = string;

/** Who did something, as responses show it. The name is the one at that time. */
export interface By {
  type: 'seat' | 'client' | 'operator';
  name: string;
}

export function byOf({ seat, name }: Pick<Caller, 'seat' | 'name'>): By {
  return seat === null ? { type: 'client', name } : { type: 'seat', name: seat.name };
}

/** The open transaction of a write. Only stores can use it. */
export interface OpenWrite {
  readonly queries: unknown;
}

/** Who makes a change through the API, and what is stored together with it. */
export interface WriteContext<Result = unknown> extends ClientMode {
  actor: Actor;
  /** Who did it, for responses; absent for the client itself. */
  by?: By;
  /**
   * Stores what belongs to the result, such as the response for a repeated request, in the transaction of the
   * change, so that both are committed or neither is. It runs again if the transaction is repeated.
   */
  finish?(result: Result, transaction: OpenWrite): Promise<void>;
}

/** Throws `precondition_failed` if the caller did not read this version. Stores call it under the write lock. */
export type RequireVersion = (version: number) => void;

/** A request that names a client, and has ended. */
export interface EndedCall {
  clientId: string;
  /** Undefined if the request did not prove to have a secret. */
  secretId: string | undefined;
  requestId: string;
  operationId: string;
  method: string;
  /** Without the query, and bounded. */
  path: string;
  /** Undefined if the caller left, or the connection broke, before the response was complete. */
  status: number | undefined;
  ms: number;
  /** The type of the error, and the first problem; undefined without an error. */
  error: string | undefined;
  problem: string | undefined;
  /** The network from which it came. */
  caller: string;
}
