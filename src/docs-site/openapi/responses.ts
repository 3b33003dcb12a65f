import Type, { type TSchema } from 'typebox';
import { ERROR_KINDS, type ErrorKind } from '../../common/errors.ts';
import { openEnum, text } from '../../common/schema-types.ts';
import type { SchemaNode } from '../../engines/http/input/schema/schema-rules.ts';
import { errorDocsUrl, oauthErrorOf } from '../../engines/http/response/envelope.ts';
import { type Route, SERVICE_TAG } from '../../engines/http/route/route.ts';
import { ALWAYS, BINARY, DEPRECATED, type HeaderName, headerRefs, METERED } from './headers.ts';
import { exampleOf, type Json, type SchemaLibrary } from './schema-library.ts';

/**
 * Error kinds of the checks before the request is counted, whose responses carry no rate-limit headers. A simulated
 * `invalid_token` is counted.
 */
const UNMETERED = new Set<ErrorKind>(['invalid_client', 'not_acceptable']);

const REQUEST_ID = '6d0c3f6e-3f0b-4a52-9a35-0e0a4ac1b6f4';
const EXAMPLE_URL = 'https://api.example.com';

/** Returns all error kinds of an operation: its own, and those of the checks before it. */
function errorsOf(route: Route): ErrorKind[] {
  const kinds = new Set<ErrorKind>(route.errors);
  if (route.access !== 'public') {
    kinds.add('invalid_token').add('rate_limited').add('forbidden');
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

export interface Components {
  schemas: SchemaLibrary;
  responses: Json;
}

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
  const reference = { $ref: `#/components/responses/${name}` };
  // Data may differ although the name is equal; then the library finds two schemas with one title.
  if (data === undefined && responses[name] !== undefined) return reference;
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
  return reference;
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

const SUCCESSES = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work is done after the response.',
} as const;

function successes(route: Route, library: SchemaLibrary): Json {
  const headers = [
    ...ALWAYS,
    ...(route.access === 'public' ? [] : METERED),
    ...(isPaged(route) ? (['Link'] as const) : []),
    ...(route.deprecation === undefined ? [] : DEPRECATED),
    ...(route.idempotent ? (['Idempotency-Replayed'] as const) : []),
    ...(route.success?.headers ?? []),
    ...(route.localized === undefined ? [] : (['Content-Language'] as const)),
  ];
  const { data } = route;
  if (data === undefined) {
    return binarySuccesses(route, headers);
  }
  const content = route.withoutEnvelope
    ? { schema: library.place(data), example: exampleOf(data) }
    : envelopeContent(route, data, library);
  const success = { headers: headerRefs(headers), content: { 'application/json': content } };
  return Object.fromEntries(
    (route.success?.statuses ?? [200]).map((status) => [
      String(status),
      { description: SUCCESSES[status], ...success },
    ]),
  );
}

/** Returns the schema and the example of an envelope, with the members that are repeated beside `data`. */
function envelopeContent(
  { operationId, besideData = [] }: Route,
  data: NonNullable<Route['data']>,
  library: SchemaLibrary,
): Json {
  const example = exampleOf(data);
  const { properties = {}, title } = data as SchemaNode & { title?: string };
  const envelopeName =
    title === undefined || besideData.length > 0 ? pascalCase(`_${operationId}`) : title;
  const beside = (memberOf: (name: string) => unknown) =>
    Object.fromEntries(besideData.map((name) => [name, memberOf(name)]));
  return {
    schema: library.place({
      title: `${envelopeName}Envelope`,
      type: 'object',
      required: ['data', 'error', ...besideData],
      properties: {
        data,
        error: NoErrorSchema,
        ...beside((name) => properties[name]!),
      },
    }),
    example: {
      data: example,
      error: exampleOf(NoErrorSchema),
      ...beside((name) => (example as Json)[name]),
    },
  };
}

function isPaged({ query }: Route): boolean {
  return query !== undefined && ('page' in query.properties || 'cursor' in query.properties);
}

function binarySuccesses(route: Route, defaults: readonly HeaderName[]): Json {
  // A route that evaluates conditions responds to a failed one with an error, and to an unchanged copy with 304.
  const hasValidators = route.errors.includes('precondition_failed');
  const headers = hasValidators ? [...defaults, ...BINARY] : defaults;
  const body = {
    headers: headerRefs(headers),
    content: Object.fromEntries(
      (route.produces ?? ['*/*']).map((contentType) => [contentType, {}]),
    ),
  };
  return {
    '200': { description: hasValidators ? 'The whole file.' : SUCCESSES[200], ...body },
    ...(route.errors.includes('range_not_satisfiable') && {
      '206': { description: 'The range that `Range` requests.', ...body },
    }),
    ...(route.redirects !== undefined && {
      '302': {
        description: route.redirects,
        headers: headerRefs([...defaults, 'Location', 'Cache-Control']),
      },
    }),
    ...(hasValidators && {
      '304': {
        description: 'Your copy is current.',
        headers: headerRefs(headers),
      },
    }),
  };
}

const FieldProblemSchema = Type.Object(
  {
    field: text('Path of the parameter or member, such as `filterIds[2]`.', 'pageSize'),
    message: text('The rule that is violated.', 'pageSize must be a whole number from 1 to 100'),
  },
  { title: 'FieldProblem' },
);

/**
 * Returns the schema of the error envelope (docs/contract/errors.md#error-object), restricted to a status and
 * its kinds if they are given, and with a schema of `data` if the error has data.
 */
function errorEnvelopeSchema({
  status,
  kinds = Object.keys(ERROR_KINDS) as readonly ErrorKind[],
  data,
}: {
  status?: number;
  kinds?: readonly ErrorKind[];
  data?: TSchema | undefined;
} = {}) {
  const code =
    status === undefined ? { minimum: 400, maximum: 599 } : { minimum: status, maximum: status };
  // Generators name what has no title by its place, once for each operation.
  const name = status === undefined ? 'Any' : kinds.map(pascalCase).join('Or');
  const members = Type.Object(
    {
      code: Type.Integer({ description: 'The HTTP status.', ...code }),
      type: openEnum(kinds, {
        description: 'The kind of error. A kind never changes its name or its status.',
      }),
      message: Type.String({ description: 'A sentence that says what to do.' }),
      details: Type.Optional(
        Type.Array(FieldProblemSchema, {
          description: 'All problems of a request that failed validation.',
        }),
      ),
      requestId: Type.String({ description: 'Also sent as `X-Request-Id`.' }),
      docs: Type.String({
        format: 'uri',
        description: 'The URL of a page about this kind of error: its cause and its cure.',
      }),
    },
    { title: name.endsWith('Error') ? name : `${name}Error` },
  );
  return Type.Object(
    {
      data: data ?? Type.Object({}, { additionalProperties: true, description: 'Empty.' }),
      error: members,
    },
    { title: `${name}Envelope${data === undefined ? '' : 'WithData'}` },
  );
}

/** The response to an OAuth client: RFC 6749 §5.2. */
function oauthErrorSchema(kinds: readonly ErrorKind[] = Object.keys(ERROR_KINDS) as ErrorKind[]) {
  const codes = new Set(kinds.map(oauthErrorOf));
  return Type.Object({
    error: openEnum([...codes], { description: 'The kind of error, for the OAuth library.' }),
    error_description: Type.String({
      description: 'A sentence for people that says what is wrong, in ASCII.',
    }),
    error_uri: Type.String({
      format: 'uri',
      description: 'The URL of a page about this kind of error: its cause and its cure.',
    }),
  });
}

const NoErrorSchema = Type.Object(
  {
    code: Type.Unsafe<0>({ type: 'integer', const: 0 }),
    message: Type.Unsafe<'OK'>({ type: 'string', const: 'OK' }),
  },
  { title: 'NoError', description: 'There is no error.', examples: [{ code: 0, message: 'OK' }] },
);
