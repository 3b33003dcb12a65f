import { BROWSER_SCOPES, digestOf } from '../../../common/browser-use.ts';
import { StaveError } from '../../../common/errors.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Route } from '../route/route.ts';

/** Returns the origin that sent a request with a browser token; undefined if it is none of the token's. */
export function originOf({ request, caller }: RequestContext): string | undefined {
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  return caller?.browser?.origins.has(digestOf(origin)) ? origin : undefined;
}

/** Throws `forbidden` for a request with a browser token that comes from no origin of the token. */
export function refuseOtherOrigin(context: RequestContext): void {
  if (!context.caller?.browser || originOf(context) !== undefined) return;
  const { origin } = context.request.headers;
  throw new StaveError(
    'forbidden',
    origin === undefined
      ? 'This token is for pages in browsers, which send their origin in the header Origin; servers use a token from POST /v1/auth/token.'
      : 'This token is for pages of other origins than the one in the header Origin; name it in `origins` of POST /v1/auth/browser-token.',
  );
}

/** Throws `forbidden` for an operation that a browser token never opens, whatever its scopes. */
export function refuseUnlessForBrowsers(
  { caller }: RequestContext,
  { method, access, isRead }: Route,
): void {
  if (!caller?.browser) return;
  const isOfScope = typeof access === 'object' && BROWSER_SCOPES.includes(access.scope);
  if (isOfScope && (method === 'GET' || isRead)) return;
  throw new StaveError(
    'forbidden',
    'A token for pages in browsers only reads; call this operation from your server.',
  );
}
