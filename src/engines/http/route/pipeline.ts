import { BROWSER_RATE_LIMIT } from '../../../common/browser-use.ts';
import { type Caller, seesPreviews } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { counted } from '../../../common/text/shown.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { RateDecision, RateLimiter } from '../../limits/rate-limiter.ts';
import type { TrustedProxies } from '../connection/trusted-proxies.ts';
import {
  type Authenticate,
  type LanguageChoice,
  Localization,
  recheckCaller,
  refuseRestrictedInUrl,
  refuseUnlessGranted,
} from '../guard/authorize.ts';
import { originOf, refuseOtherOrigin, refuseUnlessForBrowsers } from '../guard/browser-use.ts';
import { limitConcurrency } from '../guard/concurrency.ts';
import { simulate } from '../guard/simulate.ts';
import type { BodyBudgets } from '../input/body.ts';
import { type Input, InputReader, statedTime } from '../input/input.ts';
import type { OpenWork } from '../readiness.ts';
import { defaultHeaders, type HeaderFields, headersForOrigin } from '../response/headers.ts';
import { type Compression, refuseUnlessJsonAccepted } from '../response/negotiation.ts';
import { refuseOtherVersion, refuseWithoutVersion } from '../response/preconditions.ts';
import { linkToNext, loseResponse, sendResponse, sharedForm } from '../response/response.ts';
import type { ResponseCache } from '../response/response-cache.ts';
import { sendQueued } from '../response/send-queue.ts';
import { handleApart } from './apart.ts';
import { causeOf, OnceHandler } from './change-once.ts';
import type { RequestContext } from './request-context.ts';
import type {
  ApiRequest,
  ApiResponse,
  ChangeResponse,
  Handled,
  IssuedEnvelope,
  Route,
} from './route.ts';
import { together } from './together.ts';

export interface RouteDependencies {
  authenticate: Authenticate;
  rateLimiter: RateLimiter;
  /** Counts the requests of each client, for the operator. */
  requestCounter?: { count(caller: Caller, allowed: boolean): void } | undefined;
  onRateLimited(): void;
  bodies: BodyBudgets;
  /** Counts the open responses of operations that limit them. */
  openCounts: OpenCounts;
  /** Keeps the responses of cacheable routes; without it, the handler makes every response. */
  responseCache?: ResponseCache;
  /** Returns the languages among which that of a response is chosen. Without them, nothing is localized. */
  languages?: () => LanguageChoice;
  /** Keeps the responses to changes, for repeated requests; needed by idempotent routes. */
  idempotency?: IdempotencyStore;
  /** Keeps the node from stopping before requests with an `Idempotency-Key` have ended. */
  openWork: OpenWork;
  proxies: TrustedProxies;
  /** Base of the URLs in responses, without a trailing slash; called only once the server listens. */
  publicUrl(): string;
  clock: Clock;
}

/**
 * The steps of a request to one route, in the order in which Fastify runs them: `admit`, `readBody`, `respond`. They
 * check in this order (docs/contract/http.md#order-of-checks): `Accept` (406), token (401), rate limit (429), feature
 * and scope (403), responses at the same time (429), body (415, 413), query and body by their schemas (400), presence of a
 * required `If-Match` (428), `Idempotency-Key` (422, 409). A step is synchronous as long as nothing must be waited for.
 */
export class RoutePipeline {
  readonly #route: Route;
  readonly #deps: RouteDependencies;
  readonly #reader: InputReader;
  readonly #headers: HeaderFields;
  readonly #localization: Localization | undefined;
  readonly #once: OnceHandler | undefined;
  readonly #defaultStatus: number;

  /** Throws a TypeError for an idempotent route without a store for the keys. */
  constructor(route: Route, deps: RouteDependencies) {
    const { path, deprecation, localized } = route;
    this.#route = route;
    this.#deps = deps;
    this.#reader = new InputReader(route);
    this.#headers = defaultHeaders(path, deprecation);
    this.#localization =
      localized && deps.languages && new Localization(localized === 'header', deps.languages);
    this.#once = route.idempotent ? new OnceHandler(route, deps.idempotency) : undefined;
    this.#defaultStatus = route.success?.statuses?.[0] ?? 200;
  }

  /** Notes the route in the context, and checks who calls and whether the caller may. */
  admit(context: RequestContext): void | Promise<void> {
    const { operationId, withoutEnvelope, data, access } = this.#route;
    context.operationId = operationId;
    context.defaultHeaders = this.#headers;
    context.withoutEnvelope = withoutEnvelope ?? false;
    if (data !== undefined) refuseUnlessJsonAccepted(context.request);
    if (access === 'public') return undefined;
    const { headers, url } = context.request;
    return after(this.#deps.authenticate(headers.authorization, url!), (caller) => {
      context.caller = caller;
      if (caller.browser !== null) {
        context.defaultHeaders = headersForOrigin(this.#headers, originOf(context));
      }
      return after(this.#take(caller), (made) => {
        this.#count(context, made);
        return this.#authorize(context);
      });
    });
  }

  /** The path of the route, such as `/v1/tracks/{id}`. */
  get path(): string {
    return this.#route.path;
  }

  /** Whether `readBody` must run. */
  get takesBody(): boolean {
    return this.#route.body !== undefined;
  }

  /** Reads the body into the context. It is parsed with the query, so that one error names all problems. */
  readBody(context: RequestContext, next: (fault?: Error) => void): void {
    this.#reader.readBody(
      context,
      this.#deps.bodies.of(context.caller, this.#route.file !== undefined),
      (fault, body, release) => {
        context.body = body;
        context.releaseBody = release;
        next(fault);
      },
    );
  }

  /** Responds from the cache, or by the handler, and then releases the memory of the body. */
  respond(context: RequestContext, params: unknown): void | Promise<void> {
    const { releaseBody } = context;
    if (releaseBody === undefined) return this.#respond(context, params);
    let sent: void | Promise<void>;
    try {
      sent = this.#respond(context, params);
    } catch (error) {
      releaseBody();
      throw error;
    }
    if (sent instanceof Promise) return sent.finally(releaseBody);
    releaseBody();
  }

  /** Counts a request, one with a browser token first for its user, so that one user cannot use up the client's limit. */
  #take({ clientId, rateLimit, browser }: Caller): RateDecision | Promise<RateDecision> {
    const { rateLimiter } = this.#deps;
    if (browser === null) return rateLimiter.take(clientId, rateLimit);
    const key = `browser ${clientId} ${browser.user ?? ''}`;
    return after(rateLimiter.take(key, BROWSER_RATE_LIMIT), (ofUser) => {
      if (!ofUser.allowed) return ofUser;
      return after(rateLimiter.take(clientId, rateLimit), (ofClient) =>
        ofClient.allowed && ofUser.remaining < ofClient.remaining ? ofUser : ofClient,
      );
    });
  }

  #count(context: RequestContext, decision: RateDecision): void {
    context.rate = decision;
    this.#deps.requestCounter?.count(context.caller!, decision.allowed);
    if (!decision.allowed) {
      this.#deps.onRateLimited();
      throw rateLimited(decision);
    }
  }

  #authorize(context: RequestContext): void | Promise<void> {
    const { access } = this.#route;
    const caller = context.caller!;
    refuseOtherOrigin(context);
    refuseUnlessGranted(caller, access);
    refuseUnlessForBrowsers(context, this.#route);
    this.#localization?.refuseUnlessAllowed(context);
    refuseRestrictedInUrl(this.#route, context);
    if (this.#route.maxConcurrent !== undefined) {
      limitConcurrency(this.#route, context, this.#deps.openCounts);
    }
    const { file, operationId } = this.#route;
    if (file === undefined) return this.#simulate(context);
    const key = `${operationId} ${caller.clientId}`;
    return after(this.#deps.rateLimiter.take(key, file.perMinute), (decision) => {
      if (!decision.allowed) throw rateLimited(decision);
      return this.#simulate(context);
    });
  }

  #simulate(context: RequestContext): void | Promise<void> {
    const { access, requestHeaders } = this.#route;
    if (context.caller!.mode !== 'test') return undefined;
    const { headers } = context.request;
    const simulated = headers['x-stave-simulate'];
    const wait = simulated === undefined ? undefined : simulate(context, simulated, access);
    return after(wait, () => {
      if (requestHeaders?.includes('X-Stave-Now')) context.statedNow = statedTime(headers);
    });
  }

  #respond(context: RequestContext, params: unknown): void | Promise<void> {
    this.#localization?.chooseByHeader(context);
    const make = () => this.#handle(context, params);
    if (this.#route.cacheable) return this.#share(context, cacheKey(context), make);
    sendQueued();
    return after(make(), (result) => this.#answer(context, result));
  }

  /** Checks the input and runs the handler, once for an `Idempotency-Key`. */
  #handle(context: RequestContext, params: unknown): Handled | Promise<Handled> {
    const { apart } = this.#route;
    if (apart !== undefined) {
      const { openWork, clock } = this.#deps;
      return openWork.add(handleApart(apart, context, clock.now()));
    }
    const now = context.statedNow ?? this.#deps.clock.now();
    return after(this.#reader.parse(context, params, now), (input) => this.#run(context, input));
  }

  #run(context: RequestContext, { idempotencyKey, ...input }: Input): Handled | Promise<Handled> {
    const route = this.#route;
    this.#localization?.chooseByInput(context, input);
    if (route.needsMatch) refuseWithoutVersion(context.request.headers);
    if (idempotencyKey === undefined) {
      const { caller } = context;
      return route.handle(
        this.#requestOf(context, input, async (write, respond) =>
          respond(await write(causeOf(caller!))),
        ),
      );
    }
    // A service that ends between the claim of a key and its release would leave the key claimed.
    return this.#deps.openWork.add(
      this.#once!.handle(
        context,
        idempotencyKey,
        // An idempotent route never returns a shared response.
        (change) => route.handle(this.#requestOf(context, input, change)) as ChangeResponse,
      ),
    );
  }

  #requestOf(
    context: RequestContext,
    input: Omit<Input, 'idempotencyKey'>,
    change: ApiRequest['change'],
  ): ApiRequest {
    const { request, requestId, caller, statedNow } = context;
    const { proxies, clock, authenticate } = this.#deps;
    return {
      ...input,
      caller,
      headers: request.headers,
      // Not a getter: V8 makes a hidden class for each getter of an object literal, which keeps this request in memory
      // until the whole heap is collected.
      address: () => proxies.callerOfRequest(request),
      protocol: () => proxies.protocolOf(request),
      requestId,
      now: statedNow ?? clock.now(),
      statedNow,
      method: request.method!,
      rawUrl: request.url!,
      whenGone: () => context.whenGone(),
      recheckCaller: async () => {
        const now = await recheckCaller(context, this.#route.access, authenticate);
        return this.#localization?.keepChoice(now, context) ?? now;
      },
      requireVersion: (version) => refuseOtherVersion(request.headers, version),
      note: (fields) => {
        context.noted = fields;
      },
      change,
    };
  }

  /** Responds with what a handler returned, and keeps the response under a key that is given and wanted. */
  #answer(context: RequestContext, result: Handled, kept?: Kept): void | Promise<void> {
    if ('rest' in result) {
      return together(() => after(result.rest(), (made) => this.#answer(context, made, kept)));
    }
    if ('sharedAs' in result) {
      return this.#share(context, `${cacheKey(context)} ${result.sharedAs}`, () => result.make());
    }
    const link = this.#linkOf(context, result);
    if (kept !== undefined) this.#keep(context, kept, result, link);
    return this.#send(context, result, link);
  }

  /** Responds from the cache, or makes a response together with those of other requests, and keeps it. */
  #share(
    context: RequestContext,
    key: string,
    make: () => Handled | Promise<Handled>,
  ): void | Promise<void> {
    const sent = this.#sendKept(context, key);
    if (sent !== false) return sent;
    return together(() => {
      // A step before this one may have taken long, and made it.
      const sentNow = this.#sendKept(context, key);
      if (sentNow !== false) return sentNow;
      const { responseCache: cache } = this.#deps;
      const kept = cache && { cache, key, generation: cache.generation() };
      return after(make(), (result) => this.#answer(context, result, kept));
    });
  }

  /** Responds from the cache. Returns false if it does not have the response. */
  #sendKept(context: RequestContext, key: string): void | Promise<void> | false {
    const { responseCache: cache } = this.#deps;
    const { caller } = context;
    const known = cache?.get(key);
    const issued = known?.issueTo(caller!);
    if (issued === undefined) return false;
    const { headers, contentLanguage } = known!;
    context.contentLanguage = contentLanguage;
    const response = { envelope: issued.envelope, ...(headers && { headers }) };
    const issue = { clientId: caller!.clientId, issue: issued.issue };
    return send(context, response, issued, cache!.compression(key, known!, issue));
  }

  #keep(
    context: RequestContext,
    { cache, key, generation }: Kept,
    result: ApiResponse,
    link: Pick<ApiResponse, 'headers'> | undefined,
  ): void {
    const shared = cache.wants(key, generation) ? sharedForm(result) : undefined;
    if (shared === undefined) return;
    const contentLanguage = context.caller?.language?.contentLanguage;
    cache.keep(key, { ...shared, ...link, ...(contentLanguage && { contentLanguage }) });
  }

  #send(
    context: RequestContext,
    result: ApiResponse,
    link: Pick<ApiResponse, 'headers'> | undefined,
  ): void | Promise<void> {
    context.contentLanguage = context.caller?.language?.contentLanguage;
    return send(context, { status: this.#defaultStatus, ...result, ...link }, result);
  }

  /** Returns the `Link` to the next page, if there is one and a GET request can ask for it. */
  #linkOf(
    { request }: RequestContext,
    { nextPage, headers }: ApiResponse,
  ): Pick<ApiResponse, 'headers'> | undefined {
    if (nextPage === undefined || this.#route.method !== 'GET') return undefined;
    const link = linkToNext(this.#deps.publicUrl(), request.url!, nextPage);
    return link === undefined ? undefined : { headers: { ...headers, Link: link } };
  }
}

/** Where a response is kept that is wanted there. */
interface Kept {
  cache: ResponseCache;
  key: string;
  /** That of the cache before the handler began. */
  generation: number;
}

/** Continues with a value, at once if it is there. */
function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Sends a response, and releases the envelope of its owner as soon as all of it is sent.
 *
 * @param compression keeps the compressed bytes of a cached envelope.
 */
function send(
  context: RequestContext,
  response: ApiResponse,
  owner: ApiResponse | IssuedEnvelope,
  compression?: Compression,
): void | Promise<void> {
  if (context.losesResponse) {
    loseResponse(context, response);
    return;
  }
  if ('envelope' in owner && owner.release !== undefined) {
    context.releaseResponse = () => owner.release!();
  }
  return sendResponse(context, response, compression);
}

function rateLimited({ limit, resetSeconds }: RateDecision): StaveError {
  return new StaveError(
    'rate_limited',
    `The limit of ${counted(limit, 'request')} a minute is used up; retry in ${resetSeconds} s.`,
    { headers: { 'Retry-After': String(resetSeconds) } },
  );
}

/**
 * Returns everything that a response of a cacheable route depends on, except the catalog and the URLs: the mode, how
 * the caller sees a response, the URL and the body. Members that a feature adds disappear with the first request after
 * it was switched off, because that changes the key. Only the last part can contain a space.
 */
function cacheKey({ request, caller, body }: RequestContext): string {
  const { mode, language } = caller!;
  const previews = seesPreviews(caller!) ? '+previews' : '';
  const view =
    language === undefined ? previews : `${previews}+language:${language.language ?? ''}`;
  const key = `${mode}${view} ${request.url}`;
  return body === undefined ? key : `${key} ${body.type} ${body.bytes.toString('latin1')}`;
}
