import { ERROR_KINDS, type ErrorKind } from '../../kernel/errors.ts';
import type { Route } from '../route.ts';
import { errorEnvelopeSchema, NoErrorSchema } from '../schemas/error.ts';
import { ALWAYS, BINARY, DEPRECATED, type HeaderName, headerRefs, METERED } from './headers.ts';
import { SERVICE_TAG } from './prose.ts';
import { exampleOf, type Json, type SchemaLibrary } from './schema-library.ts';

/** Kinds that the checks before authentication give, whose answers carry no rate limit. */
const UNMETERED = new Set<ErrorKind>([
  'invalid_token',
  'invalid_client',
  'not_acceptable',
  'internal_error',
  'unavailable',
]);

/** Members of a token response that stand beside the envelope's for clients that send forms (§5.1). */
const RFC_6749_MEMBERS = new Set(['access_token', 'token_type', 'expires_in', 'scope']);

const REQUEST_ID = '6d0c3f6e-3f0b-4a52-9a35-0e0a4ac1b6f4';

/** Every kind of error that an operation can answer: its own, and those that its checks imply. */
function errorsOf(route: Route): ErrorKind[] {
  const kinds = new Set<ErrorKind>(route.errors);
  if (route.access !== 'public') {
    kinds.add('invalid_token').add('rate_limited');
  }
  if (typeof route.access === 'object') {
    kinds.add('insufficient_scope');
    if (route.access.feature !== undefined) {
      kinds.add('feature_not_enabled');
    }
  }
  if (route.params ?? route.query ?? route.body) {
    kinds.add('invalid_request');
  }
  if (route.body !== undefined) {
    kinds.add('payload_too_large').add('unsupported_media_type');
  }
  if (route.data !== undefined) {
    kinds.add('not_acceptable');
  }
  kinds.add('internal_error');
  // The routes about the service itself are answered in whatever state the node is (decisions §5).
  if (route.tag !== SERVICE_TAG) {
    kinds.add('unavailable');
  }
  return (Object.keys(ERROR_KINDS) as ErrorKind[]).filter((kind) => kinds.has(kind));
}

/** What operations share, gathered while they are written. */
export interface Components {
  schemas: SchemaLibrary;
  responses: Json;
}

/** All responses of an operation, by status. */
export function responsesOf(route: Route, components: Components): Json {
  const byStatus = new Map<number, ErrorKind[]>();
  for (const kind of errorsOf(route)) {
    const { status } = ERROR_KINDS[kind];
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  return {
    ...successes(route, components.schemas),
    ...Object.fromEntries(
      [...byStatus].map(([status, kinds]) => [
        String(status),
        errorResponse(route, kinds, components),
      ]),
    ),
    default: { $ref: '#/components/responses/Refused' },
  };
}

/** The answer that any operation may get before it is reached, under `components/responses`. */
export function refusedResponse(library: SchemaLibrary): Json {
  return {
    description:
      'Refused before the operation was reached, or by a kind of error added since: see the table at the head of this document.',
    headers: headerRefs(ALWAYS),
    content: {
      'application/json': {
        schema: library.place(errorEnvelopeSchema()),
        example: errorExample('uri_too_long'),
      },
    },
  };
}

function successes(route: Route, library: SchemaLibrary): Json {
  const headers = [
    ...ALWAYS,
    ...(route.access === 'public' ? [] : METERED),
    ...(route.deprecation === undefined ? [] : DEPRECATED),
  ];
  const { data } = route;
  if (data === undefined) {
    return binarySuccesses(route, headers);
  }
  if ('not' in data) {
    // Announced, but not built: there is no success to describe.
    return {};
  }
  const members = (data as { properties?: Record<string, object> }).properties ?? {};
  const isToken = route.consumes?.includes('application/x-www-form-urlencoded');
  return {
    '200': {
      description: 'Done.',
      headers: headerRefs(headers),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['data', 'error'],
            properties: {
              data: library.place(data),
              error: library.place(NoErrorSchema),
              // RFC 6749 clients send forms and read the members beside the envelope's.
              ...Object.fromEntries(
                Object.entries(members)
                  .filter(([name]) => isToken && RFC_6749_MEMBERS.has(name))
                  .map(([name, schema]) => [name, library.place(schema)]),
              ),
            },
          },
          example: { data: exampleOf(data), error: exampleOf(NoErrorSchema) },
        },
      },
    },
  };
}

function binarySuccesses(route: Route, standing: readonly HeaderName[]): Json {
  const headers = [...standing, ...BINARY];
  const body = {
    headers: headerRefs(headers),
    content: Object.fromEntries(
      (route.produces ?? ['*/*']).map((contentType) => [contentType, {}]),
    ),
  };
  return {
    '200': { description: 'The whole file.', ...body },
    ...(route.errors.includes('range_not_satisfiable') && {
      '206': { description: 'The part that `Range` asked for.', ...body },
    }),
    ...(route.redirects !== undefined && {
      '302': {
        description: route.redirects,
        headers: headerRefs([...standing, 'Location', 'Cache-Control']),
      },
    }),
    '304': {
      description: 'What you hold is still right.',
      headers: headerRefs(headers),
    },
  };
}

/**
 * A reference to the response for these kinds, which share one status. Equal ones are shared by all
 * operations; an operation without a token, or a deprecated one, has other headers and so its own.
 */
function errorResponse(
  route: Route,
  kinds: readonly ErrorKind[],
  { schemas, responses }: Components,
): Json {
  const { status } = ERROR_KINDS[kinds[0]!];
  const metered = route.access !== 'public' && kinds.every((kind) => !UNMETERED.has(kind));
  const deprecated = route.deprecation !== undefined;
  // A route that declares `unavailable` itself reports its data even then: the health check.
  const data =
    kinds.includes('unavailable') && route.errors.includes('unavailable') ? route.data : undefined;
  const name = [
    kinds.map(pascalCase).join('Or'),
    data === undefined ? '' : 'WithData',
    route.access === 'public' && kinds.some((kind) => !UNMETERED.has(kind)) ? 'Public' : '',
    deprecated ? 'Deprecated' : '',
  ].join('');
  const headers: HeaderName[] = [
    ...ALWAYS,
    ...(metered ? METERED : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(status === 401 || kinds.includes('insufficient_scope')
      ? (['WWW-Authenticate'] as const)
      : []),
    ...(status === 415 ? (['Accept-Encoding'] as const) : []),
    ...(status === 416 ? (['Content-Range'] as const) : []),
    ...(deprecated ? DEPRECATED : []),
  ];
  responses[name] = {
    description: kinds.map((kind) => `\`${kind}\`: ${ERROR_KINDS[kind].when}`).join('\n\n'),
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: schemas.place(errorEnvelopeSchema({ status, kinds, data })),
        examples: Object.fromEntries(
          kinds.map((kind) => [kind, { value: errorExample(kind, data) }]),
        ),
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** `invalid_token` as `InvalidToken`. */
function pascalCase(kind: string): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function errorExample(kind: ErrorKind, data?: object): Json {
  const { status, when } = ERROR_KINDS[kind];
  return {
    data: data === undefined ? {} : exampleOf(data),
    error: {
      code: status,
      type: kind,
      message: when.replaceAll('`', ''),
      ...(kind === 'invalid_request' && {
        details: [{ field: 'pageSize', message: 'pageSize must be a whole number from 1 to 100' }],
      }),
      requestId: REQUEST_ID,
    },
  };
}
