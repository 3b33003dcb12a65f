import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { StaveError } from '../../../common/errors.ts';
import { strictTransport } from '../connection/connections.ts';
import { MAX_URL_BYTES } from '../connection/request-guard.ts';
import { decoded } from '../input/query.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { ApiResponse } from '../route/route.ts';
import { ENVELOPE_TYPE, errorEnvelope, oauthErrorBody, successEnvelope } from './envelope.ts';
import { writeHeadLines } from './head-lines.ts';
import { cacheControl, type HeaderFields, rateHeaders } from './headers.ts';
import { acceptsGzip, type Compression, gzipped, isCompressible } from './negotiation.ts';
import { versionHeaders } from './preconditions.ts';
import { type CachedResponse, withOwnMemory } from './response-cache.ts';
import { sendSoon } from './send-queue.ts';

/** The spelling of the headers that both a handler and this file may set, by their lower-case names. */
const SPELLING = new Map(
  ['Content-Type', 'Content-Length', 'Cache-Control', 'Connection', 'Link', 'Retry-After'].map(
    (name) => [name.toLowerCase(), name],
  ),
);

/**
 * A response with one of these headers is not compressed, because the header depends on the bytes or on the
 * encoding.
 */
const BOUND_TO_BYTES = ['ETag', 'Content-Encoding', 'Content-Length', 'Vary'] as const;

/**
 * Sends what a handler returned. Resolves when a stream has been sent. Rejects if a stream fails after its
 * headers were sent. The connection must then be closed, so that the client notices.
 */
export function sendResponse(
  context: RequestContext,
  result: ApiResponse,
  compression?: Compression,
): void | Promise<void> {
  const status = result.status ?? 200;
  const extra = ownHeaders(result);
  if ('envelope' in result) {
    return sendBytes(context, status, ENVELOPE_TYPE, result.envelope, extra, compression);
  }
  if ('data' in result) {
    const bytes = context.withoutEnvelope
      ? Buffer.from(JSON.stringify(result.data))
      : successEnvelope(result.data);
    return sendBytes(context, status, ENVELOPE_TYPE, bytes, extra);
  }
  if ('redirect' in result) {
    return sendRedirect(context, result.redirect, extra);
  }
  if ('chunks' in result) {
    return sendGenerated(context, status, result, extra);
  }
  const { body, contentType } = result;
  return body instanceof Readable
    ? sendStream(context, status, contentType, body, extra)
    : sendBytes(context, status, contentType, body, extra);
}

/** Returns the headers that a handler adds to those of every response. */
export function ownHeaders({ version, headers }: ApiResponse): HeaderFields | undefined {
  return version === undefined ? headers : { ...versionHeaders(version), ...headers };
}

/**
 * Returns what a cache needs to issue a successful response to other callers, in memory of its own; undefined for
 * a response that consists of more than an envelope, or that is not shareable.
 */
export function sharedForm(
  result: ApiResponse,
): Pick<CachedResponse, 'issueTo' | 'sizeBytes'> | undefined {
  const { status, headers, version, shareable = true } = result;
  if ((status ?? headers ?? version) !== undefined || !shareable || isBinary(result)) {
    return undefined;
  }
  if ('envelope' in result) {
    const issueTo = result.share?.();
    return issueTo && { issueTo, sizeBytes: result.envelope.length };
  }
  // Not `result` itself: it would keep the data alive beside the bytes.
  const issued = { envelope: withOwnMemory(successEnvelope(result.data)), issue: {} };
  return { issueTo: () => issued, sizeBytes: issued.envelope.length };
}

function isBinary(
  result: ApiResponse,
): result is Extract<ApiResponse, { body: unknown } | Generated | { redirect: string }> {
  return 'body' in result || 'chunks' in result || 'redirect' in result;
}

/**
 * Sends an error as an envelope, or in the form of RFC 6749 §5.2 on routes without an envelope. Does
 * nothing after the response has begun. `publicUrl` is the base of the service's own URLs.
 */
export function sendError(context: RequestContext, error: StaveError, publicUrl: string): void {
  const { response, requestId, withoutEnvelope } = context;
  if (response.headersSent || response.destroyed) {
    return;
  }
  const bytes = withoutEnvelope
    ? oauthErrorBody(error, publicUrl)
    : errorEnvelope(error, { requestId, publicUrl });
  sendBytes(context, error.status, ENVELOPE_TYPE, bytes, {
    'Cache-Control': 'no-store',
    ...(withoutEnvelope && { Pragma: 'no-cache' }),
    ...error.headers,
  });
}

/** Ends the connection instead of sending what a handler returned. */
export function loseResponse({ response }: RequestContext, result: ApiResponse): void {
  if ('body' in result && result.body instanceof Readable) {
    result.body.destroy();
  }
  response.destroy();
}

/** Sends a 204, without a body. */
export function sendEmpty(context: RequestContext, extra: HeaderFields): void {
  context.response.writeHead(204, headOf(context, extra)).end();
}

function sendRedirect(
  context: RequestContext,
  location: string,
  extra: HeaderFields | undefined,
): void {
  const head = { ...headOf(context, extra), Location: location, 'Content-Length': '0' };
  context.response.writeHead(302, head).end();
}

/** Sends bytes, compressed with gzip if that is worthwhile and the client accepts it. */
function sendBytes(
  context: RequestContext,
  status: number,
  contentType: string,
  bytes: Buffer | null,
  extra: HeaderFields | undefined,
  compression?: Compression,
): void | Promise<void> {
  if (
    bytes === null ||
    !isCompressible(contentType, bytes) ||
    BOUND_TO_BYTES.some((name) => extra?.[name] !== undefined)
  ) {
    return writeBytes(context, status, contentType, bytes, extra);
  }
  const plain = { ...extra, Vary: varyingBy(context, 'Accept-Encoding') };
  if (!acceptsGzip(String(context.request.headers['accept-encoding'] ?? ''))) {
    return writeBytes(context, status, contentType, bytes, plain);
  }
  const known = compression?.gzipped();
  const write = (zipped: Buffer | undefined) => {
    if (zipped === undefined) {
      return writeBytes(context, status, contentType, bytes, plain);
    }
    if (zipped !== known) {
      compression?.onGzipped(zipped);
    }
    const coded = { ...plain, 'Content-Encoding': 'gzip' };
    return writeBytes(context, status, contentType, zipped, coded);
  };
  const zipped = known ?? gzipped(bytes);
  return zipped instanceof Promise ? zipped.then(write) : write(zipped);
}

function writeBytes(
  context: RequestContext,
  status: number,
  contentType: string,
  bytes: Buffer | null,
  extra: HeaderFields | undefined,
): void {
  const isWritten =
    status === 200 && bytes !== null && writeHeadLines(context, contentType, bytes.length, extra);
  if (!isWritten) {
    const head = headOf(context, extra);
    if (status !== 204 && status !== 304) {
      head['Content-Type'] ??= contentType;
      // The handler of a HEAD request may have set the length of the body that it leaves out.
      head['Content-Length'] ??= String(bytes?.length ?? 0);
    }
    context.response.writeHead(status, head);
  }
  sendSoon(context, bytes);
}

type Generated = Extract<ApiResponse, { chunks: unknown }>;

/** Sends chunks, of which at most one waits for the caller, compressed if the caller accepts gzip. */
function sendGenerated(
  context: RequestContext,
  status: number,
  { chunks, contentType }: Generated,
  extra: HeaderFields | undefined,
): Promise<void> {
  const body = Readable.from(chunks, { highWaterMark: 1 });
  const plain = { ...extra, Vary: varyingBy(context, 'Accept-Encoding') };
  if (!acceptsGzip(String(context.request.headers['accept-encoding'] ?? ''))) {
    return sendStream(context, status, contentType, body, plain);
  }
  // The fastest level: higher ones would take most of the time of such a response.
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  const coded = { ...plain, 'Content-Encoding': 'gzip' };
  return sendStream(context, status, contentType, body, coded, gzip);
}

async function sendStream(
  context: RequestContext,
  status: number,
  contentType: string,
  body: Readable,
  extra: HeaderFields | undefined,
  coding?: Transform,
): Promise<void> {
  const { request, response } = context;
  if (response.destroyed) {
    // The caller closed the connection while the file was being opened. `pipeline` would throw and leave the
    // file open.
    body.destroy();
    return;
  }
  const head = headOf(context, extra);
  head['Content-Type'] ??= contentType;
  response.writeHead(status, head);
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  await (coding === undefined ? pipeline(body, response) : pipeline(body, coding, response));
}

const ACCEPT_LANGUAGE = 'Accept-Language';

/** Returns the `Vary` of a response that depends on a header, and perhaps on the language. */
function varyingBy({ contentLanguage, variesByLanguage }: RequestContext, header: string): string {
  const isByLanguage = contentLanguage !== undefined && variesByLanguage;
  return isByLanguage ? `${header}, ${ACCEPT_LANGUAGE}` : header;
}

/** Returns all headers of a response, except those of its body. `extra` replaces the defaults. */
function headOf(context: RequestContext, extra: HeaderFields | undefined): Record<string, string> {
  const head: Record<string, string> = {
    ...context.defaultHeaders,
    ...strictTransport(context.request.socket),
    'X-Request-Id': context.requestId,
    'Cache-Control': cacheControl(context.caller),
    ...(context.rate && rateHeaders(context.rate)),
  };
  if (context.contentLanguage !== undefined) {
    head['Content-Language'] = context.contentLanguage;
    if (context.variesByLanguage) {
      head.Vary = ACCEPT_LANGUAGE;
    }
  }
  if (extra !== undefined) {
    for (const name of Object.keys(extra)) {
      head[SPELLING.get(name.toLowerCase()) ?? name] = extra[name]!;
    }
    // The link to the deprecation notes stays beside the link to the next page.
    const { Link: deprecation } = context.defaultHeaders;
    if (deprecation !== undefined && head.Link !== deprecation) {
      head.Link = `${deprecation}, ${head.Link}`;
    }
  }
  const { Vary: varying } = context.defaultHeaders;
  if (varying !== undefined && head.Vary !== varying) head.Vary = `${varying}, ${head.Vary}`;
  // A client that still waits for `100 Continue` may or may not send its body now, so the start of the
  // next request cannot be found.
  context.isLast ||= context.awaitsContinue;
  if (context.isLast) {
    head.Connection = 'close';
  }
  return head;
}

/** Characters that a URI must not contain (RFC 3986); they could end the `<…>` of the header. */
const NO_URI_CHARACTERS = /[^!#$%&'()*+,./0-9:;=?@A-Z_a-z~[\]-]/g;

/** The parameters that say where a page begins. */
const PLACES: ReadonlySet<string | undefined> = new Set(['page', 'cursor', 'since']);

/**
 * Returns the `Link` from a page to the next one (RFC 8288): the URL of the request with another `page` or `cursor`,
 * below the public URL. Returns undefined if it would be longer than the longest URL of a request.
 *
 * @param url path and query as sent.
 * @param next the number of the next page, or its cursor, which contains only letters, digits and `._~-`.
 */
export function linkToNext(base: string, url: string, next: number | string): string | undefined {
  const [path, query = ''] = splitAtMark(url);
  const kept = query === '' ? [] : query.split('&').filter((pair) => !isPlace(pair));
  const place = typeof next === 'number' ? `page=${next}` : `cursor=${next}`;
  const target = `${path}?${[...kept, place].join('&')}`;
  const safe = target.replace(NO_URI_CHARACTERS, (character) => encodeURIComponent(character));
  return safe.length > MAX_URL_BYTES ? undefined : `<${base}${safe}>; rel="next"`;
}

function splitAtMark(url: string): string[] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Whether the pair is to be removed: the place of the page, or an empty pair. */
function isPlace(pair: string): boolean {
  return pair === '' || PLACES.has(decoded(pair.split('=', 1)[0]!));
}
