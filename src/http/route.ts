import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller } from '../access/caller.ts';
import type { Feature, Scope } from '../access/client.ts';
import type { ErrorKind } from '../common/errors.ts';

/** Who may call a route: everyone, every valid token, or a token with this scope. */
export type RouteAccess = 'public' | 'any-token' | { scope: Scope; feature?: Feature };

/**
 * The deprecation of a route version (docs/contract/versions.md#deprecation). Its responses carry
 * `Deprecation`, `Sunset` and `Link`.
 */
export interface Deprecation {
  since: Date;
  /** At least 180 days after `since`; the start fails otherwise. */
  sunset: Date;
  /** URL of the notes that say what to use instead. */
  notes: string;
}

/** Fields of the log line that only the handler knows. */
export interface LoggedFields {
  /** The client that a stream URL was issued to. */
  clientId?: string;
  trackId?: string;
}

/** The input of a handler, validated and of the types of its schemas. */
export interface ApiRequest<Query = unknown, Params = unknown, Body = unknown> {
  query: Query;
  params: Params;
  body: Body;
  /** Undefined on public routes only. */
  caller: Caller | undefined;
  /** Request headers, names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The caller's address; behind a trusted proxy, the forwarded one. */
  address: string;
  requestId: string;
  method: string;
  /** Path and query string as sent, without the scheme and host of an absolute-form target. */
  rawUrl: string;
  /** Adds fields to the log line of this request. */
  note(fields: LoggedFields): void;
}

/** An envelope as it is sent to one caller. */
export interface IssuedEnvelope {
  envelope: Buffer;
  /** The same object for the same client, mode and time of issue of URLs. */
  issue: object;
}

/** Makes the envelope for a caller, with URLs that are issued now. Undefined if only the handler can. */
export type IssueTo = (caller: Caller) => IssuedEnvelope | undefined;

/**
 * What a handler returns: `data` for the envelope, a complete envelope as bytes, or on binary routes a body
 * or the URL of a redirect (302).
 */
export type ApiResponse = (
  | { data: object }
  | { envelope: Buffer; issueTo?: IssueTo }
  | { body: Buffer | Readable | null; contentType: string }
  | { redirect: string }
) & {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The number of the next page, if there is one. Responses to GET link to it. */
  nextPage?: number | undefined;
};

/** The tag of the routes that report on the service itself. */
export const SERVICE_TAG = 'Service';

/**
 * One operation of the API as data, for the router, the checks, the OpenAPI document and the tests. Query
 * and body schemas refuse what they do not name, and a route without a query schema has no parameter
 * (docs/contract/http.md#unknown-parameters-and-members). Binary routes without a query schema ignore their
 * query string.
 */
export interface Route {
  /** Unique, lower camel case; names the operation in OpenAPI, logs and metrics. */
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In OpenAPI's form, `/v1/tracks/{slug}`. */
  path: string;
  /** The API version of the path, as `X-API-Version` reports it. */
  version: string;
  tag: string;
  /** One line. */
  summary: string;
  /** Markdown: what a caller needs to know beyond the summary. */
  description: string;
  access: RouteAccess;
  /** The error kinds beyond those of every route, every token and every body. */
  errors: readonly ErrorKind[];
  query?: TObject;
  params?: TObject;
  /** Schema of the body. A route with this schema requires a body. */
  body?: TSchema;
  /** The schema of the body in the OpenAPI document; set if the handler checks more than `body` does. */
  documentedBody?: TSchema;
  /** Content types of the body; only JSON by default. A form arrives as an object of strings. */
  consumes?: readonly ('application/json' | 'application/x-www-form-urlencoded')[];
  /** Schema of `data`; undefined on binary routes, which respond with bytes and ignore `Accept`. */
  data: TSchema | undefined;
  /**
   * Whether JSON responses have no envelope, for OAuth clients: a success is `data` alone, and an error has
   * the members of RFC 6749 §5.2. Absent on all other routes
   * (docs/contract/http.md#envelope).
   */
  withoutEnvelope?: true;
  /** Content types of a success on binary routes, for the OpenAPI document; any type by default. */
  produces?: readonly string[];
  /** The description of the 302 in the OpenAPI document, on binary routes that redirect. */
  redirects?: string;
  /**
   * Whether a success depends on nothing but the URL, the body, the mode of the caller and the catalog,
   * except for the URLs that `issueTo` writes. Equal requests may then share it
   * (docs/contract/http.md#shared-responses).
   */
  cacheable?: boolean;
  deprecation?: Deprecation;
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>;
}

/** Returns a route whose handler is typed by its own schemas. */
export function route<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  definition: Omit<Route, 'handle' | 'query' | 'params' | 'body'> & {
    query?: Query;
    params?: Params;
    body?: Body;
    handle(
      request: ApiRequest<Static<Query>, Static<Params>, Static<Body>>,
    ): ApiResponse | Promise<ApiResponse>;
  },
): Route {
  return definition as Route;
}
