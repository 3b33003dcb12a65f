import { ERROR_KINDS, type ErrorKind } from '../../common/errors.ts';
import { errorDocsUrl, oauthErrorOf } from '../../engines/http/response/envelope.ts';
import { type Route, SERVICE_TAG } from '../../engines/http/route/route.ts';
import { errorEnvelopeSchema, oauthErrorSchema } from './error-schemas.ts';
import { ALWAYS, DEPRECATED, type HeaderName, headerRefs, METERED } from './headers.ts';
import { exampleOf, type Json, type SchemaLibrary } from './schema-library.ts';
import { successes } from './successes.ts';

/** Error kinds of the checks before the request is counted, whose responses carry no rate-limit headers. */
const UNMETERED = new Set<ErrorKind>(['invalid_token', 'invalid_client', 'not_acceptable']);

const REQUEST_ID = '6d0c3f6e-3f0b-4a52-9a35-0e0a4ac1b6f4';
/** The public URL in examples. */
const EXAMPLE_URL = 'https://api.example.com';

/** Returns all error kinds of an operation: its own, and those of the checks before it. */
function errorsOf(route: Route): ErrorKind[] {
  const kinds = new Set<ErrorKind>(route.errors);
  if (route.access !== 'public') {
    kinds.add('invalid_token').add('rate_limited');
  }
  if (typeof route.access === 'object') {
    kinds.add('insufficient_scope');
    if (route.access.feature !== undefined || route.localized !== undefined) {
      kinds.add('feature_not_enabled');
    }
  }
  // JSON operations refuse unknown parameters even if they have no parameters; routes of the service itself
  // ignore them.
  const refusesUnknown = route.data !== undefined && route.tag !== SERVICE_TAG;
  if (refusesUnknown || (route.params ?? route.query ?? route.body) !== undefined) {
    kinds.add('invalid_request');
  }
  if (route.body !== undefined) {
    kinds.add('payload_too_large').add('unsupported_media_type');
  }
  if (route.idempotent) {
    kinds.add('conflict').add('idempotency_mismatch');
  }
  if (route.needsMatch) {
    kinds.add('precondition_required').add('precondition_failed');
  }
  if (route.data !== undefined) {
    kinds.add('not_acceptable');
  }
  kinds.add('internal_error');
  // The routes of the service itself respond in every state of the node
  // (docs/contract/versions.md#version-endpoint).
  if (route.tag !== SERVICE_TAG) {
    kinds.add('unavailable');
  }
  return (Object.keys(ERROR_KINDS) as ErrorKind[]).filter((kind) => kinds.has(kind));
}

/** The components that operations share, collected while the document is made. */
export interface Components {
  schemas: SchemaLibrary;
  responses: Json;
}

/** Returns all responses of an operation, by status. */
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
    default: {
      $ref: `#/components/responses/${route.withoutEnvelope ? 'OAuthRefused' : 'Refused'}`,
    },
  };
}

/** Returns the responses that every operation may give before it is reached, for `components/responses`. */
export function refusedResponses(routes: readonly Route[], library: SchemaLibrary): Json {
  const description =
    'An error before the operation was reached, or a kind of error that was added later: see the table at the beginning of this document.';
  const headers = headerRefs(ALWAYS);
  return {
    Refused: {
      description,
      headers,
      content: {
        'application/json': {
          schema: library.place(errorEnvelopeSchema()),
          example: errorExample('uri_too_long'),
        },
      },
    },
    ...(routes.some((route) => route.withoutEnvelope) && {
      OAuthRefused: {
        description: `${description} A request that is not well-formed HTTP gets a response with the envelope.`,
        headers,
        content: {
          'application/json': {
            schema: {
              anyOf: [library.place(oauthErrorSchema()), library.place(errorEnvelopeSchema())],
            },
            example: oauthErrorExample('uri_too_long'),
          },
        },
      },
    }),
  };
}

/**
 * Returns a reference to the response for these kinds, which share one status. Operations share equal
 * responses; an operation without a token, or a deprecated one, has other headers, and therefore a response
 * of its own.
 */
function errorResponse(
  route: Route,
  kinds: readonly ErrorKind[],
  { schemas, responses }: Components,
): Json {
  const { status } = ERROR_KINDS[kinds[0]!];
  const metered = route.access !== 'public' && kinds.every((kind) => !UNMETERED.has(kind));
  const deprecated = route.deprecation !== undefined;
  // A route that declares `unavailable` itself, such as the health check, also sends data with it.
  const data =
    kinds.includes('unavailable') && route.errors.includes('unavailable') ? route.data : undefined;
  const hasTag = status === 412 && route.needsMatch === true;
  const mayBeInProgress = status === 409 && route.idempotent === true;
  const name = [
    route.withoutEnvelope ? 'OAuth' : '',
    kinds.map(pascalCase).join('Or'),
    data === undefined ? '' : 'WithData',
    route.access === 'public' && kinds.some((kind) => !UNMETERED.has(kind)) ? 'Public' : '',
    hasTag ? 'WithTag' : '',
    mayBeInProgress ? 'OrInProgress' : '',
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
    ...(hasTag ? (['ETag'] as const) : []),
    ...(mayBeInProgress ? (['Retry-After-In-Progress'] as const) : []),
    ...(status === 416 ? (['Content-Range'] as const) : []),
    ...(deprecated ? DEPRECATED : []),
  ];
  const { schema, example } = route.withoutEnvelope
    ? { schema: oauthErrorSchema(kinds), example: oauthErrorExample }
    : { schema: errorEnvelopeSchema({ status, kinds, data }), example: errorExample };
  responses[name] = {
    description: kinds.map((kind) => `\`${kind}\`: ${ERROR_KINDS[kind].when}`).join('\n\n'),
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: schemas.place(schema),
        examples: Object.fromEntries(kinds.map((kind) => [kind, { value: example(kind, data) }])),
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** Converts `invalid_token` into `InvalidToken`. */
function pascalCase(kind: string): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function oauthErrorExample(kind: ErrorKind): Json {
  return {
    error: oauthErrorOf(kind),
    error_description: ERROR_KINDS[kind].when.replaceAll('`', ''),
    error_uri: errorDocsUrl(EXAMPLE_URL, kind),
  };
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
      docs: errorDocsUrl(EXAMPLE_URL, kind),
    },
  };
}
