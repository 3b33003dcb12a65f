import { DAY_MS } from '../../../common/clock.ts';
import type { SchemaNode } from '../input/schema/schema-rules.ts';
import { MIN_NOTICE_DAYS } from '../response/headers.ts';
import type { Route } from './route.ts';

const PATH = /^(?:\/(?:[A-Za-z0-9._-]+|\{[A-Za-z0-9]+\}))+$/;

/** Returns what is wrong with a route; a falsy value if nothing is. */
type Rule = (route: Route) => string | false | undefined;

/** What each route must fulfil, in the order in which it is checked. */
const RULES: readonly Rule[] = [
  ({ operationId }) =>
    !/^[a-z][A-Za-z0-9]*$/.test(operationId ?? '') && 'it has no operationId in lower camel case',
  ({ path }) => path !== '/' && !PATH.test(path) && 'its path is not of the form /v1/tracks/{slug}',
  paramsFault,
  ({ body, method }) =>
    body !== undefined &&
    (method === 'GET' || method === 'DELETE') &&
    `a body is not read with ${method}`,
  ({ body, maxBodyBytes, maxBodyMembers }) =>
    body === undefined &&
    (maxBodyBytes ?? maxBodyMembers) !== undefined &&
    'it bounds a body that it does not read',
  ({ maxBodyBytes = 0 }) =>
    maxBodyBytes % 1024 !== 0 && `its bound of ${maxBodyBytes} bytes is not a multiple of 1024`,
  ({ cacheable, access, withoutEnvelope }) =>
    cacheable &&
    (access === 'public' || withoutEnvelope) &&
    'only envelopes for a caller with a token are cached',
  ({ success, data }) =>
    success !== undefined &&
    data === undefined &&
    'only routes with an envelope declare their success',
  ({ success, cacheable }) =>
    success !== undefined &&
    cacheable &&
    'a success with a status or headers of its own is not cached',
  ({ idempotent, isRepeatable }) =>
    !idempotent && isRepeatable && 'only requests with a key are repeated',
  ({ idempotent, secretMembers }) =>
    !idempotent && secretMembers && 'only responses that are kept for a key omit members',
  ({ idempotent, access, method, cacheable, data }) =>
    idempotent &&
    (access === 'public' || method === 'GET' || cacheable || data === undefined) &&
    'only changes by a client take an Idempotency-Key',
  ({ maxConcurrent, access, cacheable }) =>
    maxConcurrent !== undefined &&
    (access === 'public' || cacheable) &&
    'only responses that are made for one client are limited',
  ({ needsMatch, access, method }) =>
    needsMatch &&
    (access === 'public' || !['PUT', 'PATCH', 'DELETE'].includes(method)) &&
    'only changes of a resource by its owner need If-Match',
  noticeFault,
];

/**
 * Throws a TypeError if a route is incomplete or contradictory; the message names the route and the reason.
 */
export function checkRoutes(routes: readonly Route[]): void {
  const operations = new Set<string>();
  const places = new Set<string>();
  for (const route of routes) {
    const { operationId } = route;
    const name = `${route.method} ${route.path}`;
    const fault =
      RULES.map((rule) => rule(route)).find(Boolean) ||
      (operations.has(operationId) && `its operationId ${operationId} belongs to another route`) ||
      (places.has(name) && 'it is defined twice');
    if (fault) {
      throw new TypeError(`The route ${name} is not served: ${fault}.`);
    }
    operations.add(operationId);
    places.add(name);
  }
}

function paramsFault({ path, params }: Route): string | false {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const inSchema = Object.keys((params as SchemaNode | undefined)?.properties ?? {});
  const stray =
    inPath.find((name) => !inSchema.includes(name)) ??
    inSchema.find((name) => !inPath.includes(name));
  return stray !== undefined && `its path and its params schema differ in ${stray}`;
}

function noticeFault({ deprecation }: Route): string | false {
  if (deprecation === undefined) return false;
  const days = (deprecation.sunset.getTime() - deprecation.since.getTime()) / DAY_MS;
  return (
    days < MIN_NOTICE_DAYS &&
    `it retires ${Math.floor(days)} days after it was deprecated, not ${MIN_NOTICE_DAYS}`
  );
}
