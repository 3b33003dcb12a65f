import { StaveError } from '../../../common/errors.ts';
import { API_VERSION } from '../../../common/version.ts';
import type { Readiness } from '../../../engines/http/readiness.ts';
import { type Route, route, SERVICE_TAG } from '../../../engines/http/route/route.ts';
import { VERSIONS } from './read-version.ts';
import { VersionSchema } from './version.ts';

/**
 * GET /health-check: the versions, and a status that tells a load balancer whether to send requests
 * to this node.
 */
export function healthCheck({
  readiness,
}: {
  readiness: Pick<Readiness, 'accepting' | 'reason'>;
}): Route {
  return route({
    operationId: 'healthCheck',
    method: 'GET',
    path: '/health-check',
    version: API_VERSION,
    tag: SERVICE_TAG,
    summary: 'Report whether the node can serve',
    description:
      'Responds with 200 if the node can serve, and with 503 `unavailable` with the same `data` while it starts, drains, or has been cut off from its database for too long, so that a load balancer can use it. Needs no token and is never rate-limited.',
    access: 'public',
    errors: ['unavailable'],
    data: VersionSchema,
    handle() {
      if (!readiness.accepting()) {
        throw new StaveError('unavailable', readiness.reason(), {
          headers: { 'Retry-After': '1' },
          data: VERSIONS,
        });
      }
      return { data: VERSIONS };
    },
  });
}
