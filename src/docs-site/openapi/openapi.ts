import { ALL_SCOPES, type Scope } from '../../common/caller.ts';
import { OAUTH_TOKEN_PATH } from '../../engines/http/response/envelope.ts';
import type { OutgoingMessage, Route } from '../../engines/http/route/route.ts';
import { HEADERS, requestHeadersOf, requiredHeader } from './headers.ts';
import { DOCUMENTATION_TAG, introduction, TAGS } from './prose.ts';
import { type Components, refusedResponses, responsesOf } from './responses.ts';
import { exampleOf, type Json, SchemaLibrary, withDefaultDescribed } from './schema-library.ts';

const SCOPE_PURPOSES: Partial<Record<Scope, string>> = {
  tracks: 'List and read tracks.',
  search: 'Search tracks with a body, and complete texts.',
  filters: 'List filters.',
  playlists: 'List granted playlists and their tracks.',
  analytics: 'Read popularity.',
};

/**
 * Returns the OpenAPI 3.1 document of the routes, from the schemas that validate requests. Equal routes give
 * an equal document, in the order of the routes. It omits routes that serve documentation. `serverUrl` is the
 * public URL, without a trailing slash, and `messages` is what the service sends to servers of clients.
 */
export function buildOpenApi(
  routes: readonly Route[],
  {
    version,
    serverUrl,
    messages = [],
  }: { version: string; serverUrl: string; messages?: readonly OutgoingMessage[] },
): Json {
  const components: Components = { schemas: new SchemaLibrary(), responses: {} };
  const paths: Record<string, Json> = {};
  const operations = routes.filter((route) => route.tag !== DOCUMENTATION_TAG);
  for (const route of operations) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route, components),
    };
  }
  const webhooks = webhooksOf(messages, components.schemas);
  const responses = {
    ...components.responses,
    ...refusedResponses(operations, components.schemas),
  };
  const used = new Set(operations.map((route) => route.tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stave partner API',
      version,
      description: introduction(serverUrl),
      contact: { name: 'The operator of this Stave', url: serverUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    ...(messages.length > 0 && { webhooks }),
    components: {
      schemas: components.schemas.components(),
      responses,
      headers: usedHeaders(paths, responses),
      securitySchemes: securitySchemes(operations, serverUrl),
    },
  };
}

function operation(route: Route, components: Components): Json {
  const library = components.schemas;
  const { operationId, tag, summary, description, deprecation, query, params } = route;
  const body = route.documentedBody ?? route.body;
  const parameters = [
    ...parametersOf(params, 'path', library),
    ...parametersOf(query, 'query', library),
    ...requestHeadersOf(route),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description: [
      description,
      ...(deprecation === undefined
        ? []
        : [
            `Deprecated; it will be gone on ${deprecation.sunset.toISOString().slice(0, 10)}. [What to use instead](${deprecation.notes}).`,
          ]),
    ].join('\n\n'),
    ...(deprecation !== undefined && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        ...boundOf(route),
        required: !route.emptyBody,
        content: Object.fromEntries(
          (route.consumes ?? ['application/json']).map((contentType) => [
            contentType,
            { schema: library.place(body), example: exampleOf(body) },
          ]),
        ),
      },
    }),
    responses: responsesOf(route, components),
    security: securityOf(route),
  };
}

/** Returns the description of a body whose bounds differ from those of the introduction. */
function boundOf({ maxBodyBytes, maxBodyMembers }: Route): Json {
  const bounds = [
    ...(maxBodyBytes === undefined ? [] : [`${maxBodyBytes / 1024} KiB`]),
    ...(maxBodyMembers === undefined ? [] : [`${maxBodyMembers} members`]),
  ];
  return bounds.length === 0 ? {} : { description: `At most ${bounds.join(' and ')}.` };
}

function parametersOf(
  schema: Route['query'],
  place: 'path' | 'query',
  library: SchemaLibrary,
): Json[] {
  if (schema === undefined) {
    return [];
  }
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const { description, examples, ...rules } = withDefaultDescribed(property) as ParameterSchema;
    const isRequired = place === 'path' || required.has(name);
    return {
      name,
      in: place,
      required: isRequired,
      description,
      schema: library.place(rules),
      // A list is one parameter: `a,b`.
      ...(rules.type === 'array' && { style: 'form', explode: false }),
      ...(examples !== undefined &&
        (isRequired ? { example: examples[0] } : { examples: switchedOff(examples[0]) })),
    };
  });
}

type ParameterSchema = Json & { description?: string; examples?: unknown[] };

/**
 * Returns the example of an optional parameter. With `x-disabled`, the reference page shows it but does not
 * send it, because a first request with all parameters would find nothing.
 */
function switchedOff(value: unknown): Json {
  return { example: { value, 'x-disabled': true } };
}

function securityOf(route: Route): Json[] {
  if (route.access === 'public') {
    return takesForms(route) ? [{}, { clientSecret: [] }] : [];
  }
  const scopes = typeof route.access === 'object' ? [route.access.scope] : [];
  return [{ clientCredentials: scopes }, { bearerToken: [] }];
}

/** Only token endpoints accept forms; their clients may also authenticate by HTTP Basic. */
function takesForms(route: Route): boolean {
  return route.consumes?.includes('application/x-www-form-urlencoded') ?? false;
}

function securitySchemes(routes: readonly Route[], serverUrl: string): Json {
  return {
    clientCredentials: {
      type: 'oauth2',
      description: 'OAuth 2.0 client credentials (RFC 6749 §4.4).',
      flows: {
        clientCredentials: {
          tokenUrl: `${serverUrl}${OAUTH_TOKEN_PATH}`,
          scopes: Object.fromEntries(
            ALL_SCOPES.map((scope) => [
              scope,
              SCOPE_PURPOSES[scope] ?? `Use the contract feature \`${scope}\`.`,
            ]),
          ),
        },
      },
    },
    bearerToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The access token that `POST /v1/auth/token` gave.',
    },
    ...(routes.some(takesForms) && {
      clientSecret: {
        type: 'http',
        scheme: 'basic',
        description: 'Client id and secret, instead of in the body (RFC 6749 §2.3.1).',
      },
    }),
  };
}

function usedHeaders(...parts: Json[]): Json {
  const text = JSON.stringify(parts);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

const MESSAGE_HEADERS = [
  requiredHeader(
    'webhook-id',
    'The id of the message, which is the same in all attempts and replays.',
    'msg_0193a4c29f107c3e8b7a7b105d2e6c41',
  ),
  requiredHeader(
    'webhook-timestamp',
    'The time of the attempt, in seconds since 1970. Refuse old ones.',
    '1795341600',
  ),
  requiredHeader(
    'webhook-signature',
    'A signature for each valid secret, separated by spaces: `v1,` and the base64 of the HMAC-SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

function webhooksOf(messages: readonly OutgoingMessage[], library: SchemaLibrary): Json {
  return Object.fromEntries(
    messages.map(({ type, operationId, tag, summary, description, schema }) => [
      type,
      {
        post: {
          operationId,
          tags: [tag],
          summary,
          description,
          security: [],
          parameters: MESSAGE_HEADERS,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: library.place(schema), example: exampleOf(schema) },
            },
          },
          responses: {
            '2XX': { description: 'The message was received.' },
            '410': { description: 'Send no more messages: the webhook is disabled.' },
            default: { description: 'The message is sent again later.' },
          },
        },
      },
    ]),
  );
}
