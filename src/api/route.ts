import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller } from '../access/caller.ts';
import type { Feature, Scope } from '../access/client.ts';
import type { ErrorKind } from '../kernel/errors.ts';

/** Who may call a route: anybody, anybody with a good token, or a token with this scope. */
export type RouteAccess = 'public' | 'any-token' | { scope: Scope; feature?: Feature };

/** That a route version is going away (decisions §1): its answers carry `Deprecation`, `Sunset` and `Link`. */
export interface Deprecation {
  since: Date;
  /** At least 180 days after `since`; the start fails otherwise. */
  sunset: Date;
  /** Address of the notes that say what to use instead. */
  notes: string;
}

/** What a handler is given: everything validated and of the types its schemas say. */
export interface ApiRequest<Query = unknown, Params = unknown, Body = unknown> {
  query: Query;
  params: Params;
  body: Body;
  /** Undefined on public routes only. */
  caller: Caller | undefined;
  /** Request headers, names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The caller's address, the forwarded one where the proxy is trusted. */
  address: string;
  requestId: string;
  method: string;
  /** Path and query as sent, without the scheme and host of an absolute-form target. */
  rawUrl: string;
}

/**
 * What a handler answers: `data` for the envelope, the whole envelope ready as bytes, or (on binary
 * routes) a body of its own type, or another address where it is found (302).
 */
export type Answer = (
  | { data: object }
  | { envelope: Buffer }
  | { body: Buffer | Readable | null; contentType: string }
  | { redirect: string }
) & { status?: number; headers?: Readonly<Record<string, string>> };

/**
 * One operation of the API as data: the router, the checks, the OpenAPI document and the tests all
 * read it. Query and body schemas forbid what they do not name in the body, and pass over it in the
 * query (decisions §4).
 */
export interface Route {
  /** Unique, lower camel case; names the operation in OpenAPI, logs and metrics. */
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In OpenAPI's form, `/v1/tracks/{slug}`. */
  path: string;
  /** The contract version the path belongs to, as `X-API-Version` reports it. */
  version: string;
  tag: string;
  /** One line. */
  summary: string;
  /** Markdown: what a caller should know beyond the summary. */
  description: string;
  access: RouteAccess;
  /** Kinds of error beyond those that every route, every token and every body can meet. */
  errors: readonly ErrorKind[];
  query?: TObject;
  params?: TObject;
  /** Schema of the body, which is needed where one is given. */
  body?: TSchema;
  /** What the OpenAPI document says of the body where the handler itself checks more than `body` does. */
  documentedBody?: TSchema;
  /** Content types the body may come in; JSON alone by default. A form arrives as an object of strings. */
  consumes?: readonly ('application/json' | 'application/x-www-form-urlencoded')[];
  /** Schema of `data`; on binary routes undefined, for success answers bytes and `Accept` is not looked at. */
  data: TSchema | undefined;
  /** Content types of success on binary routes, for the OpenAPI document; bytes of any kind by default. */
  produces?: readonly string[];
  /** On binary routes that may answer 302: what the OpenAPI document says of it. */
  redirects?: string;
  /**
   * That a success hangs on nothing but the URL, the body, the caller's client and mode, the catalog
   * and the time that URLs are issued at. Equal requests may then share its bytes (decisions §3).
   */
  cacheable?: boolean;
  deprecation?: Deprecation;
  handle(request: ApiRequest): Answer | Promise<Answer>;
}

/** A route whose handler is typed by its own schemas. */
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
    ): Answer | Promise<Answer>;
  },
): Route {
  return definition as Route;
}
