import type { FastifyInstance, FastifyRequest } from 'fastify';
import { StaveError } from '../../../common/errors.ts';
import { METHODS } from '../connection/methods.ts';
import { acceptsJson } from '../input/accept.ts';
import { sendEmpty } from '../response/response.ts';
import { pathOf, RequestContext } from '../route/request-context.ts';
import { optionsHeaders } from './cors.ts';
import { type Path, suggestedPath } from './paths.ts';

/**
 * Serves requests that belong to no operation: OPTIONS at every path, other methods of a path (405) and
 * unknown paths (404). All of these except OPTIONS first check `Accept`, as operations do.
 */
export function serveUnrouted(app: FastifyInstance, paths: readonly Path[]): void {
  for (const { url, methods, hasJson } of paths) {
    const onRequest = emptySegmentHooks(url, paths);
    app.route({
      method: 'OPTIONS',
      url,
      onRequest,
      handler: (request) => sendEmpty(RequestContext.of(request.raw), optionsHeaders(methods)),
    });
    const others = METHODS.filter((method) => !methods.includes(method));
    app.route({
      method: others,
      url,
      onRequest,
      handler: (request) => {
        if (hasJson) refuseUnlessJsonAccepted(RequestContext.of(request.raw));
        const allow = methods.join(', ');
        throw new StaveError('method_not_allowed', `This path has ${allow} only.`, {
          headers: { Allow: allow },
        });
      },
    });
  }
  app.setNotFoundHandler((request) => refuseUnknownPath(request, paths));
}

/**
 * Returns hooks for a route with this URL. The router treats an empty segment, such as after a trailing
 * slash, as a parameter, but such a path is unknown.
 */
export function emptySegmentHooks(url: string, paths: readonly Path[]) {
  if (!url.includes(':')) return [];
  return [
    (request: FastifyRequest, _reply: unknown, next: () => void) => {
      if (Object.values(request.params as object).includes('')) refuseUnknownPath(request, paths);
      next();
    },
  ];
}

/** Throws a 406 if the caller accepts no JSON (docs/contract/http.md#order-of-checks). */
export function refuseUnlessJsonAccepted({ request }: RequestContext): void {
  if (!acceptsJson(request.headers.accept)) {
    throw new StaveError('not_acceptable', 'The response is JSON; Accept must allow it.');
  }
}

function refuseUnknownPath({ raw }: FastifyRequest, paths: readonly Path[]): never {
  refuseUnlessJsonAccepted(RequestContext.of(raw));
  const path = pathOf(raw);
  const meant = suggestedPath(paths, path);
  const slash = path.endsWith('/') ? ', without a slash at the end' : '';
  throw new StaveError(
    'not_found',
    meant === undefined
      ? 'There is nothing at this path; /docs shows what there is.'
      : `There is nothing at this path; did you mean ${meant}${slash}?`,
  );
}
