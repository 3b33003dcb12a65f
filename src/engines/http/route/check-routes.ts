import { ALL_SCOPES, FEATURES } from '../../../common/caller.ts';
import { DAY_MS } from '../../../common/clock.ts';
import type { SchemaNode } from '../input/schema/schema-rules.ts';
import { MIN_NOTICE_DAYS } from '../response/headers.ts';
import type { Route } from './route.ts';

const PATH = /^(?:\/(?:[A-Za-z0-9._-]+|\{[A-Za-z0-9]+\}))+$/;

/**
 * Throws a TypeError if a route is incomplete or contradictory; the message names the route and the reason.
 */
export function checkRoutes(routes: readonly Route[]): void {
  const operations = new Set<string>();
  const places = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const fault =
      faultOf(route) ??
      (operations.has(route.operationId)
        ? `its operationId ${route.operationId} belongs to another route`
        : places.has(name)
          ? 'it is defined twice'
          : undefined);
    if (fault !== undefined) {
      throw new TypeError(`The route ${name} is not served: ${fault}.`);
    }
    operations.add(route.operationId);
    places.add(name);
  }
}

function faultOf(route: Route): string | undefined {
  if (!/^[a-z][A-Za-z0-9]*$/.test(route.operationId ?? '')) {
    return 'it has no operationId in lower camel case';
  }
  if (route.path !== '/' && !PATH.test(route.path)) {
    return 'its path is not of the form /v1/tracks/{slug}';
  }
  return (
    accessFault(route) ??
    schemaFault(route) ??
    boundsFault(route) ??
    cacheFault(route) ??
    successFault(route) ??
    keyFault(route) ??
    concurrencyFault(route) ??
    matchFault(route) ??
    noticeFault(route)
  );
}

function accessFault({ access }: Route): string | undefined {
  if (access === 'public' || access === 'any-token') {
    return undefined;
  }
  if (typeof access !== 'object' || !ALL_SCOPES.includes(access.scope)) {
    return 'its access is neither public, nor any-token, nor a known scope';
  }
  return access.feature === undefined || FEATURES.includes(access.feature)
    ? undefined
    : `its feature ${access.feature} is not known`;
}

function schemaFault({ path, params, body, method }: Route): string | undefined {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const inSchema = Object.keys((params as SchemaNode | undefined)?.properties ?? {});
  const stray =
    inPath.find((name) => !inSchema.includes(name)) ??
    inSchema.find((name) => !inPath.includes(name));
  if (stray !== undefined) {
    return `its path and its params schema differ in ${stray}`;
  }
  return body !== undefined && (method === 'GET' || method === 'DELETE')
    ? `a body is not read with ${method}`
    : undefined;
}

function boundsFault({ body, maxBodyBytes, maxBodyMembers }: Route): string | undefined {
  if (body === undefined && (maxBodyBytes ?? maxBodyMembers) !== undefined) {
    return 'it bounds a body that it does not read';
  }
  return (maxBodyBytes ?? 0) % 1024 === 0
    ? undefined
    : `its bound of ${maxBodyBytes} bytes is not a multiple of 1024`;
}

function cacheFault({ cacheable, access, withoutEnvelope }: Route): string | undefined {
  return cacheable && (access === 'public' || withoutEnvelope)
    ? 'only envelopes for a caller with a token are cached'
    : undefined;
}

function successFault({ success, data, cacheable }: Route): string | undefined {
  if (success !== undefined && data === undefined) {
    return 'only routes with an envelope declare their success';
  }
  return success !== undefined && cacheable
    ? 'a success with a status or headers of its own is not cached'
    : undefined;
}

function keyFault(route: Route): string | undefined {
  const { idempotent, method, access, cacheable, data, secretMembers } = route;
  if (!idempotent) {
    return secretMembers && 'only responses that are kept for a key omit members';
  }
  return access === 'public' || method === 'GET' || cacheable || data === undefined
    ? 'only changes by a client take an Idempotency-Key'
    : undefined;
}

function concurrencyFault({ maxConcurrent, access, cacheable }: Route): string | undefined {
  return maxConcurrent !== undefined && (access === 'public' || cacheable)
    ? 'only responses that are made for one client are limited'
    : undefined;
}

function matchFault({ needsMatch, method, access }: Route): string | undefined {
  if (needsMatch === undefined) {
    return undefined;
  }
  return access !== 'public' && ['PUT', 'PATCH', 'DELETE'].includes(method)
    ? undefined
    : 'only changes of a resource by its owner need If-Match';
}

function noticeFault({ deprecation }: Route): string | undefined {
  if (deprecation === undefined) {
    return undefined;
  }
  const noticeDays = (deprecation.sunset.getTime() - deprecation.since.getTime()) / DAY_MS;
  return noticeDays >= MIN_NOTICE_DAYS
    ? undefined
    : `it retires ${Math.floor(noticeDays)} days after it was deprecated, not ${MIN_NOTICE_DAYS}`;
}
