import type { RequestListener } from 'node:http';
import type { StaveError } from '../../common/errors.ts';
import type { Connections } from './connection/connections.ts';
import { guardRequest } from './connection/request-guard.ts';
import type { Overload } from './guard/overload.ts';
import type { Path } from './guard/paths.ts';
import type { Readiness } from './readiness.ts';
import type { ErrorResponder } from './response/error-responder.ts';
import { unavailable } from './response/errors.ts';
import { optionsHeaders } from './response/headers.ts';
import { sendEmpty } from './response/response.ts';
import { decodedPathOf, RequestContext } from './route/request-context.ts';
import type { RequestTracker } from './route/request-tracker.ts';

/**
 * These paths are served in every state of the node (docs/contract/http.md#order-of-checks). In some states,
 * `/health-check` itself responds with 503.
 */
const ALWAYS_SERVED = new Set(['/version', '/health-check']);

/** The dependencies of the listener. */
export interface ListenerDependencies {
  paths: readonly Path[];
  tracker: RequestTracker;
  connections: Connections;
  readiness: Readiness;
  overload: Overload;
  errors: ErrorResponder;
}

/**
 * Returns the listener that receives every request before the router. It creates the context and begins to
 * track it, runs the request guard, and refuses the request while the node starts, drains or is overloaded.
 */
export function requestListener(
  router: RequestListener,
  { paths, tracker, connections, readiness, overload, errors }: ListenerDependencies,
): RequestListener {
  const allMethods = [...new Set(paths.flatMap(({ methods }) => methods))].filter(
    (method) => method !== 'OPTIONS',
  );
  const serverOptions = optionsHeaders([...allMethods, 'OPTIONS']);

  return (request, response) => {
    const context = new RequestContext(request, response);
    tracker.began(context);
    connections.began(context);
    const refusal = guardRequest(context) ?? stateRefusal(context);
    if (refusal !== undefined) {
      errors.refuse(context, refusal);
    } else if (request.url === '*') {
      sendEmpty(context, serverOptions);
    } else {
      router(request, response);
    }
  };

  function stateRefusal(context: RequestContext): StaveError | undefined {
    context.isLast ||= readiness.draining();
    const isAccepting = readiness.accepting();
    if (isAccepting && overload.admits(context)) {
      return undefined;
    }
    if (ALWAYS_SERVED.has(decodedPathOf(context.request))) {
      return undefined;
    }
    return isAccepting ? overload.refusal() : unavailable(readiness.reason(), 1);
  }
}
