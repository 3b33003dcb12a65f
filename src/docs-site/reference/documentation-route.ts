import type { TObject } from 'typebox';
import {
  type ApiRequest,
  type ApiResponse,
  type Route,
  route,
} from '../../engines/http/route/route.ts';
import { DOCUMENTATION_TAG } from '../openapi/prose.ts';

/**
 * Returns a route that serves documentation: public, without an envelope, and not part of the
 * OpenAPI document.
 */
export function documentationRoute(
  operationId: string,
  path: string,
  summary: string,
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
  params?: TObject,
): Route {
  return route({
    operationId,
    method: 'GET',
    path,
    tag: DOCUMENTATION_TAG,
    summary,
    description: 'Documentation, served from the package itself.',
    access: 'public',
    errors: params === undefined ? [] : ['not_found'],
    ...(params !== undefined && { params }),
    data: undefined,
    handle,
  });
}

/**
 * Returns a file of the documentation as a response. Browsers revalidate it, unless `headers` say
 * otherwise.
 */
export function documentationFile(
  contentType: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
) {
  return {
    body: typeof body === 'string' ? Buffer.from(body) : body,
    contentType,
    headers: { 'Cache-Control': 'no-cache', ...headers },
  };
}
