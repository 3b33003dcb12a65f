import { type Caller, type LanguageView, seesLanguages } from '../../../common/caller.ts';
import { invalidToken, StaveError } from '../../../common/errors.ts';
import { valuesInUrl } from '../input/query.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { ApiRequest, Route, RouteAccess } from '../route/route.ts';

/**
 * Returns the caller that an `Authorization` header names; throws or rejects with `invalid_token`. Several
 * such headers are joined by commas. The URL only serves to explain a missing token.
 */
export type Authenticate = (
  authorization: string | undefined,
  url: string,
) => Caller | Promise<Caller>;

/**
 * Throws `feature_not_enabled` or `insufficient_scope` if a route is not open to a caller. A feature that is
 * off is reported before a missing scope: without the feature, a token with the scope would not help.
 */
export function refuseUnlessGranted({ features, scopes }: Caller, access: RouteAccess): void {
  if (typeof access === 'string') {
    return;
  }
  const { scope, feature } = access;
  if (feature !== undefined && !features.has(feature)) {
    throw new StaveError(
      'feature_not_enabled',
      `The feature ${feature} is not part of this client's contract; ask the operator for it.`,
    );
  }
  if (!scopes.has(scope)) {
    const advice =
      feature === undefined
        ? 'request a new token with it; if the client does not have it, ask the operator for it.'
        : 'it was issued before the feature was switched on, or for other scopes. Request a new token.';
    throw new StaveError('insufficient_scope', `The token lacks the scope ${scope}: ${advice}`, {
      headers: {
        // RFC 6750 §3.
        'WWW-Authenticate': `Bearer realm="stave", error="insufficient_scope", scope="${scope}"`,
      },
    });
  }
}

/**
 * Checks token, feature and scope of a request again, and returns its caller as of now. Rejects as the checks before
 * the handler do.
 */
export async function recheckCaller(
  context: RequestContext,
  access: RouteAccess,
  authenticate: Authenticate,
): Promise<Caller> {
  const { headers, url } = context.request;
  const { rate } = context;
  // A response without a valid token has no limit.
  context.rate = undefined;
  const caller = await authenticate(headers.authorization, url!);
  context.rate = rate;
  refuseUnlessGranted(caller, access);
  return caller;
}

const SCHEME = /^bearer(?: +|$)/i;

const HOW = 'send one as "Authorization: Bearer <token>", from POST /v1/auth/token.';
const EXCHANGE = 'exchange client id and secret for an access token by POST /v1/auth/token.';

/**
 * Returns the function that checks bearer tokens. It reads only the header, never a token in the query or the
 * body (RFC 9700 §4.3.2). Several headers arrive joined by commas and are invalid. It is synchronous for a
 * token that was verified before. Its error messages contain no part of the header.
 *
 * @param verify returns the caller of a token; throws or rejects with `invalid_token`.
 */
export function createAuthenticate(
  verify: (token: string) => Caller | Promise<Caller>,
): Authenticate {
  return (authorization, url) => {
    const scheme = authorization === undefined ? null : SCHEME.exec(authorization);
    if (scheme === null) {
      // A header of another scheme counts as no token (RFC 6750 §3.1).
      throw invalidToken(withoutBearer(authorization ?? '', url), { noTokenSent: true });
    }
    const token = authorization!.slice(scheme[0].length);
    // Every token begins with the base64url of `{"`.
    const mistake = token.startsWith('ey') ? undefined : insteadOfToken(token);
    if (mistake !== undefined) {
      throw invalidToken(mistake);
    }
    return verify(token);
  };
}

/** Returns the message for a header that does not begin with Bearer. */
function withoutBearer(authorization: string, url: string): string {
  if (authorization.trim() === '') {
    return /[?&]access_token=/.test(url)
      ? 'A token in the query is not read; send it in the header "Authorization: Bearer <token>".'
      : `No access token was sent; ${HOW}`;
  }
  if (/^basic(?: |$)/i.test(authorization)) {
    return `The Authorization header is HTTP Basic, which only the token endpoint takes; ${EXCHANGE}`;
  }
  if (isSecret(authorization)) {
    return `The Authorization header holds a client secret; ${EXCHANGE}`;
  }
  if (/^ey[\w-]*\.[\w-]*\.[\w-]*$/.test(authorization)) {
    return 'The Authorization header holds a token without the word Bearer; send "Authorization: Bearer <token>".';
  }
  return `The Authorization header does not begin with Bearer, and so holds no access token; ${HOW}`;
}

/**
 * Returns the message for a text that callers send by mistake instead of a token; undefined for any other
 * text.
 */
function insteadOfToken(token: string): string | undefined {
  if (isSecret(token)) {
    return `A client secret was sent in the place of an access token; ${EXCHANGE}`;
  }
  if (/^(?:undefined|null|none|nil|\[object object\]|\{\{.*|\$\{?\w*\}?)?$/i.test(token)) {
    return 'Nothing stands after Bearer that could be an access token, as if a variable had no value; the token is data.access_token in the response of POST /v1/auth/token.';
  }
  if (SCHEME.test(token)) {
    return 'The word Bearer stands twice in the Authorization header; send it once.';
  }
  return undefined;
}

function isSecret(text: string): boolean {
  return /^stave_(?:test|live)_/.test(text);
}

/**
 * Throws as `refuseUnlessGranted` does if the URL has the parameter that needs more than the operation
 * (`Route.restricted`), even with a malformed value. An empty list counts as absent.
 */
export function refuseRestrictedInUrl(
  { restricted, query }: Route,
  { request, caller }: RequestContext,
): void {
  if (restricted === undefined || !Object.hasOwn(query?.properties ?? {}, restricted.member)) {
    return;
  }
  const values = valuesInUrl(request.url!, restricted.member);
  if (values.some((value) => value !== '' && value !== '[]')) {
    refuseUnlessGranted(caller!, restricted.access);
  }
}

/** Throws likewise for a member of a parsed body, which need not be valid. */
export function refuseRestrictedInBody(
  { restricted }: Route,
  body: unknown,
  caller: Caller | undefined,
): void {
  if (restricted === undefined) return;
  const { member, within, access } = restricted;
  const value = memberOf(within === undefined ? body : memberOf(body, within), member);
  const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
  if (!isEmpty) refuseUnlessGranted(caller!, access);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Chooses the language of a response among those of the catalog. */
export interface LanguageChoice {
  forHeader(header: string | undefined): LanguageView;
  forTag(tag: string): LanguageView;
}

const ACCESS = { scope: 'localization', feature: 'localization' } as const;

const LANGUAGE = 'language';

/** The choice of the language on a route that shows texts (docs/contract/languages.md#choice-of-the-language). */
export class Localization {
  readonly #languages: () => LanguageChoice;
  readonly #readsHeader: boolean;

  constructor(readsHeader: boolean, languages: () => LanguageChoice) {
    this.#readsHeader = readsHeader;
    this.#languages = languages;
  }

  /** Throws if the URL names a language, which the caller may not choose. */
  refuseUnlessAllowed({ request, caller }: RequestContext): void {
    if (!seesLanguages(caller!) && valuesInUrl(request.url!, LANGUAGE).length > 0) {
      refuseUnlessGranted(caller!, ACCESS);
    }
  }

  /** Sets the view of a caller with localization by the header. */
  chooseByHeader(context: RequestContext): void {
    const caller = context.caller!;
    if (!seesLanguages(caller)) return;
    const header = this.#readsHeader ? context.request.headers['accept-language'] : undefined;
    context.caller = { ...caller, language: this.#languages().forHeader(header) };
    context.variesByLanguage = this.#readsHeader;
  }

  /** Sets the view by a valid query or body, if one of them names a language. Throws as `refuseUnlessAllowed`. */
  chooseByInput(
    context: RequestContext,
    { query, body }: Pick<ApiRequest, 'query' | 'body'>,
  ): void {
    const tag = memberOf(query, LANGUAGE) ?? memberOf(body, LANGUAGE);
    if (tag === undefined) return;
    refuseUnlessGranted(context.caller!, ACCESS);
    context.caller = { ...context.caller!, language: this.#languages().forTag(tag as string) };
    context.namesLanguage = true;
  }

  /**
   * Returns the caller as of now, with the view that was chosen. If it has lost localization meanwhile, it sees no other
   * texts, and this throws if the request names a language.
   */
  keepChoice(now: Caller, context: RequestContext): Caller {
    const language = context.caller?.language;
    if (language === undefined) return now;
    if (context.namesLanguage) refuseUnlessGranted(now, ACCESS);
    if (seesLanguages(now)) return { ...now, language };
    context.caller = now;
    context.variesByLanguage = false;
    return now;
  }
}
