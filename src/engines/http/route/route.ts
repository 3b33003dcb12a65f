import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller, Feature, Mode, Scope, WriteContext } from '../../../common/caller.ts';
import type { ErrorKind, FieldProblem, NamedClient } from '../../../common/errors.ts';

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
  /** The client that a stream URL was issued to, or that has authenticated itself, with its secret. */
  clientId?: string;
  secretId?: string;
  trackId?: string;
  /** The link to a collection that a guest used. */
  linkId?: string;
  /** The mode of a report with rejected usage events, and their number. */
  mode?: Mode;
  rejected?: number;
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
  /** Returns what limits by address count as the caller: see `TrustedProxies.callerOfRequest`. */
  address(): string;
  /** Returns the protocol of the address that was called: see `TrustedProxies.protocolOf`. */
  protocol(): 'http:' | 'https:';
  requestId: string;
  /**
   * The time of the request, in milliseconds since the epoch. On routes that declare `X-Stave-Now`, a request
   * in test mode may state it; it never applies to tokens, URLs or limits.
   */
  now: number;
  /** The time that a request in test mode states; undefined if it states none. */
  statedNow: number | undefined;
  method: string;
  /** Path and query string as sent, without the scheme and host of an absolute-form target. */
  rawUrl: string;
  /**
   * Makes the change of the request, and returns the response to it. `write` passes the context to the write of one
   * store. If the request has an `Idempotency-Key`, the response is kept in the transaction of that write, so `respond`
   * must depend on the result alone. The handler may check before it, but makes one change only.
   */
  change<Result>(
    write: (context: WriteContext) => Promise<Result>,
    respond: (result: Result) => ChangeResponse,
  ): Promise<ApiResponse>;
  /**
   * Throws `precondition_failed` unless `If-Match` names this version of the resource; only on routes that
   * declare `needsMatch`. The handler calls it where no other change can come between, after the checks that
   * the resource exists and is the caller's.
   */
  requireVersion(version: number): void;
  /** Returns a signal that aborts when the caller has closed the connection, for a handler that waits. */
  whenGone(): AbortSignal;
  /**
   * Checks the token, the feature and the scope again, as before the handler, and returns the caller as of now. A
   * handler calls it after it has waited, because rights may have been withdrawn meanwhile.
   */
  recheckCaller(): Promise<Caller>;
  /** Adds fields to the log line of this request. */
  note(fields: LoggedFields): void;
}

/** An envelope as it is sent to one caller. */
export interface IssuedEnvelope {
  /** Does not change before `release`. */
  envelope: Buffer;
  /** The same object for the same client, mode and time of issue of URLs. */
  issue: object;
  /**
   * Called once when the envelope has been sent, so that it may be overwritten for another caller. Not called if
   * the connection closes before.
   */
  release?(): void;
}

/** Makes the envelope for a caller, with URLs that are issued now. Undefined if only the handler can. */
export type IssueTo = (caller: Caller) => IssuedEnvelope | undefined;

/**
 * What a handler returns: `data` for the envelope, a complete envelope as bytes, or on binary routes a body,
 * chunks that are generated as fast as the caller reads, or the URL of a redirect (302). `share` returns how a
 * cached envelope is issued to other callers, in memory of its own. `release` is called when the envelope was
 * sent and is not used any more, so that its memory may be used again. Chunks should have some 64 KiB; their
 * iterator is ended when the caller leaves.
 */
export type ApiResponse = (
  | { data: object }
  | { envelope: Buffer; share?(): IssueTo; release?(): void }
  | { body: Buffer | Readable | null; contentType: string }
  | { chunks: AsyncIterable<Buffer>; contentType: string }
  | { redirect: string }
) & {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The version of the editable resource in `data`, sent as `ETag`. */
  version?: number;
  /** The number of the next page, or the cursor of it, if there is one. Responses to GET link to it. */
  nextPage?: number | string | undefined;
  /** False if an equal request to a cacheable route may get another response while the catalog is the same. */
  shareable?: boolean;
};

/**
 * What a handler returns if it must check or read something before it knows what the response depends on. Equal
 * requests share the response, as those to a cacheable route do.
 */
interface SharedResponse {
  /** What the response depends on, besides the URL, the body, the mode and view of the caller, and the catalog. */
  sharedAs: string;
  /** Makes the response, unless there is one. */
  make(): Handled | Promise<Handled>;
}

/** What a handler returns if the rest of its work uses other code and data: see `together`. */
interface PartlyHandled {
  rest(): ApiResponse | Promise<ApiResponse>;
}

export type Handled = ApiResponse | SharedResponse | PartlyHandled;

export type ChangeResponse = Extract<ApiResponse, { data: object }>;

export type RequestHeader = 'Accept-Language' | 'X-Stave-Now';

/** How a success of a JSON route differs from a 200 with the headers of every response. */
interface Success {
  /** Its statuses; the first one applies if the handler sets none. */
  statuses?: readonly [SuccessStatus, ...SuccessStatus[]];
  headers?: readonly ('Location' | 'ETag' | 'Content-Language' | 'Set-Cookie')[];
}

type SuccessStatus = 200 | 201 | 202;

/** A content type of a body. `audio/*` stands for all types of audio. */
export type BodyType =
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'application/octet-stream'
  | 'audio/*';

/** A request whose body is refused. */
export interface RefusedRequest extends Pick<ApiRequest, 'caller' | 'now'> {
  /** The body as it was sent. */
  given: Readonly<Record<string, unknown>>;
}

/** A request that is handled in another thread, after the checks of its caller. It is cloned. */
export interface SentRequest extends Pick<ApiRequest, 'caller' | 'requestId' | 'statedNow'> {
  request: {
    method?: string | undefined;
    url?: string | undefined;
    headers: IncomingHttpHeaders;
  };
  body: { type: BodyType; bytes: Buffer } | undefined;
  /** The time in the serving thread, in milliseconds since the epoch. */
  now: number;
}

/** The response to a `SentRequest`: an envelope, and what the log shows of the request. */
export interface SentResponse extends Pick<ApiResponse, 'status' | 'headers'> {
  envelope: Uint8Array;
  noted: LoggedFields | undefined;
}

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
  tag: string;
  /** One line. */
  summary: string;
  /** Whether a POST only reads, so that browser tokens may call it. */
  isRead?: true;
  /** Markdown: what a caller needs to know beyond the summary. */
  description: string;
  access: RouteAccess;
  /** A member of the query or of the body that needs more than `access`, in the member `within` of a body. */
  restricted?: { member: string; within?: string; access: RouteAccess };
  /**
   * The error kinds beyond those of every route, every token and every body. A binary route that declares
   * `precondition_failed` evaluates the conditions of RFC 9110 §13.1, and so also responds with 304.
   */
  errors: readonly ErrorKind[];
  query?: TObject;
  /**
   * Returns problems of a query that depend on more than one parameter, on the form of a text, or on the time of the
   * request. Parameters that the schema refuses are absent.
   */
  checkQuery?(query: unknown, now: number): FieldProblem[];
  params?: TObject;
  /** Schema of the body. A route with this schema requires a body, unless `emptyBody` is set. */
  body?: TSchema;
  /** An empty body means `{}`. */
  emptyBody?: true;
  /** The schema of the body in the OpenAPI document; set if `checkBody` checks more than `body` does. */
  documentedBody?: TSchema;
  /**
   * Returns problems of a body that depend on the headers, or on other members. What the schema refuses is absent: an
   * entry of a list is a hole.
   */
  checkBody?(body: unknown, headers: ApiRequest['headers']): FieldProblem[];
  /** Returns the client that an invalid body names, for the log; set if the body authenticates the caller. */
  clientOf?(body: unknown, headers: ApiRequest['headers']): NamedClient | undefined;
  /**
   * Returns the problems that the handler finds in a valid body, and better messages for problems of the schema. Called
   * only for a body that is refused anyway, so that one response names all problems: a repeated request with a key must
   * get its first response, whatever the state of the service is now.
   *
   * @param valid the body without what was refused
   */
  checkRefused?(valid: unknown, request: RefusedRequest): Promise<FieldProblem[]>;
  /** The largest body, in bytes: a multiple of 1 KiB; 64 KiB by default. */
  maxBodyBytes?: number;
  /** The most members in all objects of a JSON body; 1,000 by default. */
  maxBodyMembers?: number;
  /** Content types of the body; only JSON by default. A form arrives as an object of strings. */
  consumes?: readonly BodyType[];
  /**
   * The body is a file, which arrives as bytes. Before it is read, the number of requests of the client in a minute is
   * checked.
   */
  file?: { perMinute: number };
  /** Schema of `data`; undefined on binary routes, which respond with bytes and ignore `Accept`. */
  data: TSchema | undefined;
  /**
   * The members of `data` that a success repeats beside `data` and `error`, for readers that know no envelope.
   */
  besideData?: readonly string[];
  /**
   * Whether JSON responses have no envelope, for OAuth clients: a success is `data` alone, and an error has
   * the members of RFC 6749 §5.2 (docs/contract/http.md#envelope).
   */
  withoutEnvelope?: true;
  /**
   * Whether a request with an `Idempotency-Key` is done once. The handler makes its change by `change`. Other routes
   * ignore the header.
   */
  idempotent?: boolean;
  /**
   * The members of `data` that are shown once, such as a new secret. They are not kept for repeated requests, which
   * get the response without them.
   */
  secretMembers?: readonly string[];
  /**
   * Adds the secret members to the kept `data` of a repeated request, if they can be read again. Without it, and if it
   * rejects, the response lacks them.
   */
  reveal?(data: Readonly<Record<string, unknown>>, caller: Caller): Promise<object>;
  /**
   * Whether a repeated request with a key is handled again, because its response has what must not be kept, such as URLs.
   * The handler changes nothing.
   */
  isRepeatable?: true;
  /**
   * Whether a request must name the version that it changes in `If-Match` (docs/contract/http.md#editing).
   */
  needsMatch?: true;
  /** Absent on routes whose success is 200 without additional headers, and on binary routes. */
  success?: Success;
  requestHeaders?: readonly RequestHeader[];
  /** Content types of a success on binary routes, for the OpenAPI document; any type by default. */
  produces?: readonly string[];
  /** The description of the 302 in the OpenAPI document, on binary routes that redirect. */
  redirects?: string;
  /**
   * How many responses a client may receive at the same time from one node. A further request gets
   * `rate_limited`.
   */
  maxConcurrent?: number;
  /** The `Retry-After` of such a `rate_limited`: about as long as a response takes. Default: 60. */
  retrySeconds?: number;
  /**
   * Whether a success depends on nothing but the URL, the body, the mode and the view of the caller (whether
   * it sees previews, and in which language it sees texts), and the catalog, except for the URLs that `issueTo`
   * writes. Equal requests may then share it (docs/contract/http.md#shared-responses).
   */
  cacheable?: boolean;
  /**
   * Whether the response shows texts in the language that a caller with localization chooses: by `Accept-Language`, or
   * only by the parameter `language`.
   */
  localized?: 'header' | 'parameter';
  deprecation?: Deprecation;
  handle(request: ApiRequest): Handled | Promise<Handled>;
  /**
   * Has a request handled in another thread by an `ApartHandler` of this route: from the check of its input to the bytes
   * of its response. For an idempotent route of long bodies, without parameters in its path.
   */
  apart?: ((sent: SentRequest) => Promise<SentResponse>) | undefined;
}

/** Returns a route whose handler is typed by its own schemas. */
export function route<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  definition: Omit<
    Route,
    'errors' | 'handle' | 'query' | 'params' | 'body' | 'checkBody' | 'checkRefused' | 'checkQuery'
  > & {
    /** By default, none. */
    errors?: Route['errors'];
    query?: Query;
    checkQuery?(query: Partial<Static<Query>>, now: number): FieldProblem[];
    params?: Params;
    body?: Body;
    checkBody?(body: Partial<Static<Body>>, headers: ApiRequest['headers']): FieldProblem[];
    checkRefused?(valid: Partial<Static<Body>>, request: RefusedRequest): Promise<FieldProblem[]>;
    handle(
      request: ApiRequest<Static<Query>, Static<Params>, Static<Body>>,
    ): Handled | Promise<Handled>;
  },
): Route {
  return { errors: [], ...definition } as Route;
}

/** A message that the service sends to servers of clients. */
export interface OutgoingMessage {
  /** The value of `type` in the message. */
  type: string;
  /** Unique among all operations. */
  operationId: string;
  /** One line. */
  summary: string;
  /** Markdown. */
  description: string;
  tag: string;
  schema: TObject;
}
