import type { FastifyRequest } from 'fastify';
import { type Caller, seesPreviews } from '../../../common/caller/caller.ts';
import { type LanguageChoice, Localization } from '../guard/localization.ts';
import type { InputReader } from '../input/input.ts';
import { RequestContext } from '../route/request-context.ts';
import type { ApiResponse, Handled, IssuedEnvelope, Route } from '../route/route.ts';
import { type HandlerDependencies, handlerOf } from '../route/run-handler.ts';
import type { Compression } from './negotiation.ts';
import { linkToNext } from './next-link.ts';
import { loseResponse, sendResponse, sharedForm } from './response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

/** The dependencies of responses. */
export interface ResponseDependencies extends HandlerDependencies {
  responseCache?: ResponseCache;
  /** Returns the languages among which that of a response is chosen. Without them, nothing is localized. */
  languages?: () => LanguageChoice;
  /** Base of the URLs in responses, without a trailing slash. */
  publicUrl(): string;
}

/** Returns the function that responds to a request from the cache, or by the handler of its route. */
export function respond(
  route: Route,
  reader: InputReader,
  deps: ResponseDependencies,
): (request: FastifyRequest) => void | Promise<void> {
  const { responseCache, publicUrl } = deps;
  const localization = Localization.of(route, deps.languages);
  const handle = handlerOf(route, reader, { ...deps, localization });
  const defaults = { status: route.success?.statuses?.[0] ?? 200 };

  return (request) => {
    const context = RequestContext.of(request.raw);
    localization?.chooseByHeader(context);
    const make = () => handle(context, request);
    return route.cacheable && responseCache !== undefined
      ? share(context, responseCache, cacheKey(context), make)
      : withResult(make(), (result) => answer(context, result));
  };

  function answer(context: RequestContext, result: Handled): void | Promise<void> {
    if (!('sharedAs' in result)) return send(context, result, linkTo(context, result));
    const { sharedAs, make } = result;
    return responseCache === undefined
      ? withResult(make(), (made) => answer(context, made))
      : share(context, responseCache, `${cacheKey(context)} ${sharedAs}`, make);
  }

  /** Responds from the cache, or makes a response and keeps it. */
  function share(
    context: RequestContext,
    cache: ResponseCache,
    key: string,
    make: () => Handled | Promise<Handled>,
  ): void | Promise<void> {
    const known = cache.get(key);
    const issued = known?.issueTo(context.caller!);
    if (issued !== undefined) {
      const { headers, contentLanguage } = known!;
      context.contentLanguage = contentLanguage;
      const compression = compressionOf(context, cache, known!, issued, key);
      const response = { envelope: issued.envelope, ...(headers && { headers }) };
      return sendAndRelease(context, response, issued, compression);
    }
    const generation = cache.generation();
    return withResult(make(), (result) => {
      if ('sharedAs' in result) return answer(context, result);
      const link = linkTo(context, result);
      if (cache.wants(key, generation)) {
        const shared = sharedForm(result);
        if (shared !== undefined) {
          const contentLanguage = context.caller?.language?.contentLanguage;
          cache.keep(key, { ...shared, ...link, ...(contentLanguage && { contentLanguage }) });
        }
      }
      return send(context, result, link);
    });
  }

  function send(
    context: RequestContext,
    result: ApiResponse,
    link: ReturnType<typeof linkTo>,
  ): void | Promise<void> {
    context.contentLanguage = context.caller?.language?.contentLanguage;
    return sendAndRelease(context, { ...defaults, ...result, ...link }, result);
  }

  function compressionOf(
    { caller }: RequestContext,
    cache: ResponseCache,
    known: CachedResponse,
    { issue }: IssuedEnvelope,
    key: string,
  ): Compression {
    return cache.compression(key, known, { clientId: caller?.clientId, issue });
  }

  /** Returns the `Link` to the next page, if there is one and a GET request can ask for it. */
  function linkTo(
    { request }: RequestContext,
    { nextPage, headers }: ApiResponse,
  ): Pick<ApiResponse, 'headers'> | undefined {
    if (nextPage === undefined || route.method !== 'GET') {
      return undefined;
    }
    const link = linkToNext(publicUrl(), request.url!, nextPage);
    return link === undefined ? undefined : { headers: { ...headers, Link: link } };
  }
}

/** Continues with a result, at once if it is there. */
function withResult<Result>(
  result: Result | Promise<Result>,
  next: (result: Result) => void | Promise<void>,
): void | Promise<void> {
  return result instanceof Promise ? result.then(next) : next(result);
}

/** Sends a response, and releases its envelope as soon as all of it is sent. */
function sendAndRelease(
  context: RequestContext,
  response: ApiResponse,
  owner: ApiResponse | IssuedEnvelope,
  compression?: Compression,
): void | Promise<void> {
  if (context.losesResponse) {
    loseResponse(context, response);
    return;
  }
  const sent = sendResponse(context, response, compression);
  if ('envelope' in owner && owner.release !== undefined) {
    const { writableEnded, writableLength } = context.response;
    if (writableEnded && writableLength === 0) {
      owner.release();
    } else {
      // The socket or a compression still reads the envelope. A connection that closes before emits no `finish`; then
      // nothing uses the memory again.
      context.response.once('finish', () => owner.release!());
    }
  }
  return sent;
}

/**
 * Returns everything that a response of a cacheable route depends on, except the catalog and the URLs. Only
 * the last part can contain a space.
 */
function cacheKey({ request, caller, body }: RequestContext): string {
  const key = `${caller!.mode}${viewOf(caller!)} ${request.url}`;
  return body === undefined ? key : `${key} ${body.type} ${body.bytes.toString('latin1')}`;
}

/**
 * Returns what, beside the mode, determines how a caller sees a response. Members that a feature adds disappear with
 * the first request after it was switched off, because that changes the key.
 */
function viewOf(caller: Caller): string {
  const { language } = caller;
  const previews = seesPreviews(caller) ? '+previews' : '';
  return language === undefined ? previews : `${previews}+language:${language.key}`;
}
