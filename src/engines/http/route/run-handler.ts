import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../common/clock.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { TrustedProxies } from '../connection/trusted-proxies.ts';
import { type Authenticate, recheckCaller } from '../guard/authorize.ts';
import { Concurrency } from '../guard/concurrency.ts';
import type { Localization } from '../guard/localization.ts';
import type { InputReader } from '../input/input.ts';
import type { RawBody } from '../input/parse-body.ts';
import { bodyText } from '../input/parse-body.ts';
import type { OpenWork } from '../readiness.ts';
import { refuseOtherVersion, refuseWithoutVersion } from '../response/preconditions.ts';
import { changeOf, fingerprintOf, OnceHandler } from './change-once.ts';
import type { RequestContext } from './request-context.ts';
import type { ApiRequest, ApiResponse, Handled, Route } from './route.ts';

/** The dependencies of the handlers of all routes. */
export interface HandlerDependencies {
  authenticate: Authenticate;
  idempotency?: IdempotencyStore;
  proxies: TrustedProxies;
  /** Counts the open responses of operations that limit them. */
  openCounts: OpenCounts;
  /** Gets the requests that are done once. */
  openWork: OpenWork;
  clock: Clock;
}

/** The dependencies of the handler of one route. */
interface RouteDependencies extends HandlerDependencies {
  localization?: Localization | undefined;
}

/** Runs the handler of a route for a request whose body was read. */
export type RunHandler = (
  context: RequestContext,
  target: FastifyRequest,
) => Handled | Promise<Handled>;

/**
 * Returns the function that checks the input of a request and runs the handler of its route, once for an
 * `Idempotency-Key`. Throws a TypeError for an idempotent route without a store for the keys.
 */
export function handlerOf(
  route: Route,
  reader: InputReader,
  {
    authenticate,
    idempotency,
    proxies,
    openCounts,
    openWork,
    clock,
    localization,
  }: RouteDependencies,
): RunHandler {
  const concurrency = Concurrency.of(route, openCounts);
  const once = onceHandlerOf(route, idempotency);

  return (context, target) => {
    const { request, requestId, body } = context;
    const { idempotencyKey, ...input } = reader.parse(
      context,
      target.params as Record<string, string>,
      body,
    );
    localization?.chooseByInput(context, input);
    const { caller } = context;
    if (route.needsMatch) {
      refuseWithoutVersion(request.headers);
    }
    concurrency?.enter(context);
    const handle = (change: ApiRequest['change']) =>
      route.handle({
        ...input,
        caller,
        headers: request.headers,
        // Few routes read it.
        get address() {
          return proxies.callerOfRequest(request);
        },
        requestId,
        now: context.statedNow ?? clock.now(),
        statedNow: context.statedNow,
        method: request.method!,
        rawUrl: request.url!,
        whenGone: () => context.whenGone(),
        recheckCaller: async () => {
          const now = await recheckCaller(context, route.access, authenticate);
          return localization?.keepChoice(now, context) ?? now;
        },
        requireVersion: (version) => refuseOtherVersion(request.headers, version),
        note: (fields) => {
          context.noted = fields;
        },
        change,
      });
    if (idempotencyKey === undefined) {
      return handle(changeOf(caller));
    }
    const { clientId, mode } = caller!;
    const fingerprint = fingerprintOf(route.method, request.url!, body && sentValueOf(body));
    const keyed = { clientId, mode, key: idempotencyKey, fingerprint };
    // A service that ends between the claim of a key and its release would leave the key claimed.
    // An idempotent route is none with a shared response.
    const change = handle as (change: ApiRequest['change']) => ApiResponse | Promise<ApiResponse>;
    return openWork.add(once!.handle(keyed, caller!, change));
  };
}

/** Returns the value of a valid body without the defaults of the schema, which another release may change. */
function sentValueOf({ type, bytes }: RawBody): unknown {
  const text = bodyText(bytes, [])!;
  return type === 'application/json' ? JSON.parse(text) : text;
}

function onceHandlerOf(route: Route, store: IdempotencyStore | undefined): OnceHandler | undefined {
  if (!route.idempotent) {
    return undefined;
  }
  if (store === undefined) {
    throw new TypeError(`${route.operationId} needs a store for its idempotency keys.`);
  }
  return new OnceHandler(route, store);
}
