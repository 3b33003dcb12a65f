import { StaveError } from '../../kernel/errors.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { SERVICE_TAG } from '../openapi/prose.ts';
import type { Readiness } from '../readiness.ts';
import { type Route, route } from '../route.ts';
import { VersionSchema } from '../schemas/version.ts';
import { VERSIONS } from './read-version.ts';

/** GET /health-check: the versions, and by its status whether a load balancer should send requests here. */
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
    summary: 'Tell whether the node can serve',
    description:
      'Answers 200 when the node can serve, and 503 `unavailable` with the same `data` while it starts, drains, or has been cut off from its database for too long, so that a load balancer can use it. Needs no token and is never rate-limited.',
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
