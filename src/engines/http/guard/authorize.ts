import type { Caller } from '../../../common/caller/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { RouteAccess } from '../route/route.ts';

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
  const { rateHeaders } = context;
  // A response without a valid token has no limit.
  context.rateHeaders = undefined;
  const caller = await authenticate(headers.authorization, url!);
  context.rateHeaders = rateHeaders;
  refuseUnlessGranted(caller, access);
  return caller;
}
