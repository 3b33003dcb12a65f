import Type from 'typebox';
import { StaveError } from '../../../common/errors.ts';
import { text } from '../../../common/schema-types.ts';
import { API_VERSION, SERVICE_VERSION } from '../../../common/version.ts';
import type { Readiness } from '../../../engines/http/readiness.ts';
import { type Route, route, SERVICE_TAG } from '../../../engines/http/route/route.ts';

const VERSIONS = { apiVersion: API_VERSION, serviceVersion: SERVICE_VERSION };

interface Operation {
  operationId: string;
  path: string;
  summary: string;
}

export function readVersion(): Route {
  return running({
    operationId: 'readVersion',
    path: '/version',
    summary: 'Report the versions',
  });
}

export function checkLiveness(): Route {
  return running({
    operationId: 'checkLiveness',
    path: '/livez',
    summary: 'Report that the process responds',
  });
}

function running(operation: Operation): Route {
  return route({
    ...operation,
    method: 'GET',
    tag: SERVICE_TAG,
    description: 'Responds as long as the process runs. Needs no token and is never rate-limited.',
    access: 'public',
    data: VersionSchema,
    handle: () => ({ data: VERSIONS }),
  });
}

/** See docs/contract/versions.md#version-object. */
const VersionSchema = Type.Object(
  {
    apiVersion: text('Contract version of the URL paths.', 'v1', { pattern: '^v[0-9]+$' }),
    serviceVersion: text('Semantic version of the running build; for diagnostics only.', '1.0.0', {
      pattern: '^\\d+\\.\\d+\\.\\d+',
    }),
  },
  { title: 'Version' },
);

interface Dependencies {
  readiness: Pick<Readiness, 'accepting' | 'reason'>;
}

export function healthCheck(deps: Dependencies): Route {
  return ready(deps, {
    operationId: 'healthCheck',
    path: '/health-check',
    summary: 'Report whether the node can serve',
  });
}

export function checkReadiness(deps: Dependencies): Route {
  return ready(deps, {
    operationId: 'checkReadiness',
    path: '/readyz',
    summary: 'Report whether the node can serve, as the health check does',
  });
}

function ready({ readiness }: Dependencies, operation: Operation): Route {
  return route({
    ...operation,
    method: 'GET',
    tag: SERVICE_TAG,
    description:
      'Responds with 200 if the node can serve, and with 503 `unavailable` with the same `data` while it starts, drains, or has been cut off from its database for too long, so that a load balancer can use it. Needs no token and is never rate-limited.',
    access: 'public',
    errors: ['unavailable'],
    data: VersionSchema,
    handle() {
      if (!readiness.accepting()) {
        throw new StaveError('unavailable', readiness.reason(), { data: VERSIONS });
      }
      return { data: VERSIONS };
    },
  });
}
