import type { SchemaNode } from '../../engines/http/input/schema/schema-rules.ts';
import type { Route } from '../../engines/http/route/route.ts';
import { NoErrorSchema } from './error-schemas.ts';
import { ALWAYS, BINARY, DEPRECATED, type HeaderName, headerRefs, METERED } from './headers.ts';
import { exampleOf, type Json, type SchemaLibrary } from './schema-library.ts';

/** The description of each status of a success. */
const SUCCESSES = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work is done after the response.',
} as const;

/** Returns the responses to a request that succeeds, by status. */
export function successes(route: Route, library: SchemaLibrary): Json {
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
  if ('not' in data) {
    return announcedSuccess(headers, library);
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
  { besideData = [] }: Route,
  data: NonNullable<Route['data']>,
  library: SchemaLibrary,
): Json {
  const example = exampleOf(data);
  const { properties = {} } = data as SchemaNode;
  const beside = (memberOf: (name: string) => unknown) =>
    Object.fromEntries(besideData.map((name) => [name, memberOf(name)]));
  return {
    schema: {
      type: 'object',
      required: ['data', 'error', ...besideData],
      properties: {
        data: library.place(data),
        error: library.place(NoErrorSchema),
        ...beside((name) => library.place(properties[name]!)),
      },
    },
    example: {
      data: example,
      error: exampleOf(NoErrorSchema),
      ...beside((name) => (example as Json)[name]),
    },
  };
}

/** Returns the success of an announced endpoint: an envelope with unspecified data. */
function announcedSuccess(headers: readonly HeaderName[], library: SchemaLibrary): Json {
  return {
    '200': {
      description: 'Not returned by this version. A later version returns `data` of the feature.',
      headers: headerRefs(headers),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['data', 'error'],
            properties: { data: { type: 'object' }, error: library.place(NoErrorSchema) },
          },
          example: { data: {}, error: exampleOf(NoErrorSchema) },
        },
      },
    },
  };
}

/** Whether the operation has pages with URLs, which link to the next page. */
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
