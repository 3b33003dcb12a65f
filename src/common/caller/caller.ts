import type { Feature, Mode, Scope } from './scopes.ts';

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
  /** Distinguishes the view from all others. */
  readonly key: string;
}

/** Whether the tracks that the caller sees have URLs of previews: only if its client has the feature, and its token the scope. */
export function seesPreviews({ features, scopes }: Caller): boolean {
  return features.has('previews') && scopes.has('previews');
}

/** Whether a caller sees, and searches, texts in other languages than the original. */
export function seesLanguages({ features, scopes }: Pick<Caller, 'features' | 'scopes'>): boolean {
  return features.has('localization') && scopes.has('localization');
}
