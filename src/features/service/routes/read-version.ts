import { API_VERSION, SERVICE_VERSION } from '../../../common/version.ts';
import { type Route, route, SERVICE_TAG } from '../../../engines/http/route/route.ts';
import { VersionSchema } from './version.ts';

/** The versions that both version endpoints report. */
export const VERSIONS = { apiVersion: API_VERSION, serviceVersion: SERVICE_VERSION };

/** GET /version: responds with 200 in every state of the node. */
export function readVersion(): Route {
  return route({
    operationId: 'readVersion',
    method: 'GET',
    path: '/version',
    version: API_VERSION,
    tag: SERVICE_TAG,
    summary: 'Report the versions',
    description: 'Responds as long as the process runs. Needs no token and is never rate-limited.',
    access: 'public',
    errors: [],
    data: VersionSchema,
    handle: () => ({ data: VERSIONS }),
  });
}
