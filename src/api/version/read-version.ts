import { API_VERSION, SERVICE_VERSION } from '../../kernel/version.ts';
import { SERVICE_TAG } from '../openapi/prose.ts';
import { type Route, route } from '../route.ts';
import { VersionSchema } from '../schemas/version.ts';

/** What both version endpoints report. */
export const VERSIONS = { apiVersion: API_VERSION, serviceVersion: SERVICE_VERSION };

/** GET /version: always 200, whatever state the node is in. */
export function readVersion(): Route {
  return route({
    operationId: 'readVersion',
    method: 'GET',
    path: '/version',
    version: API_VERSION,
    tag: SERVICE_TAG,
    summary: 'Report the versions',
    description: 'Answers as long as the process runs. Needs no token and is never rate-limited.',
    access: 'public',
    errors: [],
    data: VersionSchema,
    handle: () => ({ data: VERSIONS }),
  });
}
