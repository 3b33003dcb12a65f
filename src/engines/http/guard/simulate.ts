import { setTimeout } from 'node:timers/promises';
import { type ErrorKind, invalidRequest, StaveError } from '../../../common/errors.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { RouteAccess } from '../route/route.ts';

const FIELD = 'X-Stave-Simulate';

const ERRORS = [
  'rate_limited',
  'unavailable',
  'internal_error',
  'request_timeout',
  'not_found',
  'conflict',
  'gone',
  'precondition_failed',
  'insufficient_scope',
  'feature_not_enabled',
  'invalid_token',
] as const satisfies readonly ErrorKind[];

const LOST_RESPONSE = 'lost_response';
const SLOW = /^slow;ms=([1-9][0-9]{0,4})$/;
const MAX_SLOW_MS = 10_000;

/**
 * Does what `X-Stave-Simulate` asks for (docs/contract/http.md#simulated-errors), on requests in test mode
 * that have passed the checks of token, limit and scope. Throws the simulated error, or `invalid_request` for
 * an unknown value. Resolves after a simulated wait. Otherwise returns undefined.
 */
export function simulate(
  context: RequestContext,
  value: string | string[],
  access: RouteAccess,
): Promise<void> | undefined {
  if (value === LOST_RESPONSE) {
    context.losesResponse = true;
    return undefined;
  }
  const ms = Number(SLOW.exec(String(value))?.[1]);
  if (ms <= MAX_SLOW_MS) {
    return setTimeout(ms);
  }
  const kind = ERRORS.find((one) => one === value);
  if (kind === undefined) {
    const known = [...ERRORS, `slow;ms=1 to slow;ms=${MAX_SLOW_MS}`].join(', ');
    const message = `${FIELD} must be one of ${known} and ${LOST_RESPONSE}`;
    throw invalidRequest([{ field: FIELD, message }]);
  }
  throw new StaveError(kind, 'simulated', { headers: usualHeaders(kind, access) });
}

function usualHeaders(kind: (typeof ERRORS)[number], access: RouteAccess): Record<string, string> {
  switch (kind) {
    case 'rate_limited':
      return { 'Retry-After': '1' };
    case 'invalid_token':
      return { 'WWW-Authenticate': 'Bearer realm="stave", error="invalid_token"' };
    case 'insufficient_scope': {
      const scope = typeof access === 'object' ? `, scope="${access.scope}"` : '';
      return { 'WWW-Authenticate': `Bearer realm="stave", error="insufficient_scope"${scope}` };
    }
    default:
      return {};
  }
}
