import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StaveError } from '../../../common/errors.ts';

/** One request and its response, as the intake of their connection sees them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the caller is authenticated. The next request of the connection then waits for no turn. */
  readonly isAuthenticated: boolean;
  readonly acceptsBody: boolean;
  /** Called when the body may arrive. */
  onBodyWanted: (() => void) | undefined;
  /** The length of the request line as it arrived, without its line break. */
  requestLineBytes: number;
  /** Whether the request waited too long for its turn. */
  isLate: boolean;
  /** Whether the connection ends after this response. */
  isLast: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
  /**
   * Fails the body, because its framing is invalid or it arrived too slowly. The response is the last of its
   * connection.
   */
  failBody(failure: StaveError): void;
}

/** The longest URL (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_URL_BYTES = 8 * 1024;
/** Limits of docs/contract/limits.md#bounds-of-a-request. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_FIELDS = 100;

/** The length of the two spaces of a request line, and of its version. */
const REQUEST_LINE_REST = '  HTTP/1.1'.length;

/** The methods of RFC 9110 §9 and of RFC 5789, except CONNECT, for which Node has an event of its own. */
export const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
] as const;

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/**
 * A host and an optional port (RFC 3986 §3.2.2). Unlike the RFC, this excludes the comma, which can
 * hide a second Host header in the first, and the empty name, which http does not allow.
 */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+;=-]+)(?::[0-9]*)?$/;

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/**
 * Checks what Node's parser does not check, in the order of docs/contract/http.md#order-of-checks: framing
 * and Host, 501, 414, 431, 417, the form of the target. Returns the error to send. If it returns undefined,
 * `url` of the request is a path with its query string, or the asterisk of `OPTIONS *`.
 */
export function guardRequest(exchange: Exchange): StaveError | undefined {
  const { request } = exchange;
  const fields = surveyFields(request);
  const framing = framingFault(exchange, fields);
  // Node treats the following bytes as another protocol, so the connection cannot continue.
  exchange.isLast ||= request.headers.upgrade !== undefined;
  if (framing !== undefined) {
    // The start of the next request is uncertain.
    exchange.isLast = true;
    return malformed(framing);
  }
  if (!KNOWN_METHODS.has(request.method!)) {
    return unknownMethod();
  }
  if (request.url!.length > MAX_URL_BYTES) {
    return uriTooLong();
  }
  if (fields.sizeBytes > MAX_HEADER_BYTES || request.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    return headersTooLarge();
  }
  const { expect } = request.headers;
  if (expect !== undefined && request.httpVersionMinor > 0) {
    if (expect.trim().toLowerCase() !== '100-continue') {
      return new StaveError('expectation_failed', 'The only expectation served is 100-continue.');
    }
    exchange.awaitsContinue = true;
  }
  return targetFault(request);
}

/** Facts about the header fields as they arrived, because Node merges or drops repeated ones. */
interface Fields {
  sizeBytes: number;
  hosts: number;
}

function surveyFields(request: IncomingMessage): Fields {
  const { rawHeaders } = request;
  let sizeBytes = 0;
  let hosts = 0;
  let authorizations = 0;
  let contentTypes = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Four bytes: the colon, the space and the line break.
    sizeBytes += name.length + rawHeaders[i + 1]!.length + 4;
    switch (name.length) {
      case 4:
        hosts += isNamed(name, 'host');
        break;
      case 12:
        contentTypes += isNamed(name, 'content-type');
        break;
      case 13:
        authorizations += isNamed(name, 'authorization');
        break;
    }
  }
  // Node silently drops all but the first of these fields. They are joined by commas here, and refused later.
  if (authorizations > 1) {
    joinRepeated(request, 'authorization');
  }
  if (contentTypes > 1) {
    joinRepeated(request, 'content-type');
  }
  return { sizeBytes, hosts };
}

function isNamed(name: string, wanted: string): number {
  return name.toLowerCase() === wanted ? 1 : 0;
}

function joinRepeated(request: IncomingMessage, name: string): void {
  request.headers[name] = request.headersDistinct[name]!.join(', ');
}

/** Returns the message for an invalid version, framing or Host; undefined if all are valid. */
function framingFault(
  { request, requestLineBytes }: Exchange,
  { hosts }: Fields,
): string | undefined {
  const { headers, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) {
    return 'The version of HTTP must be 1.1 or 1.0.';
  }
  // Node's parser skips further spaces, which another parser may treat as a part of the target.
  if (requestLineBytes !== request.method!.length + request.url!.length + REQUEST_LINE_REST) {
    return 'The request line must be method, target and version with one space between them.';
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    // Parsers differ on an empty coding, and on one that is not the last, which allows request smuggling.
    if (coding.toLowerCase() !== 'chunked' || httpVersionMinor === 0) {
      return 'Transfer-Encoding must be chunked, in HTTP/1.1.';
    }
    if (headers['content-length'] !== undefined) {
      return 'Content-Length and Transfer-Encoding must not come together.';
    }
  }
  if (hosts === 0) {
    return httpVersionMinor === 0 ? undefined : 'The Host header is missing.';
  }
  return hosts === 1 && HOST.test(headers.host!)
    ? undefined
    : 'There must be one Host header with one host.';
}

/** Converts the target into origin-form, or returns the error of an invalid one (RFC 9112 §3.2). */
function targetFault(request: IncomingMessage): StaveError | undefined {
  const url = request.url!;
  if (url.includes('#')) {
    return malformed('The URL must not hold a fragment.');
  }
  if (url.startsWith('/') || (url === '*' && request.method === 'OPTIONS')) {
    return undefined;
  }
  const path = url.replace(ABSOLUTE_FORM, '');
  const target = path === '' || path.startsWith('?') ? `/${path}` : path;
  if (!target.startsWith('/')) {
    return malformed('The URL must be a path or an absolute URL of http or https.');
  }
  request.url = target;
  return undefined;
}

/** A valid id: 1 to 64 letters, digits, `.`, `_` or `-`. UUIDs and ULIDs are valid. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Returns the id of a request in its response and in the log: the caller's own id if it is valid, or a new
 * UUID.
 */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}

/** Node's error for a request that its parser refused, or that arrived too slowly. */
export interface ParserError extends Error {
  code?: string | undefined;
  /** The chunk that was being parsed. */
  rawPacket?: Buffer;
  /** How much of the chunk was parsed before the error. */
  bytesParsed?: number;
}

/** A request line whose method is a token (RFC 9110 §9.1). */
const REQUEST_LINE = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+ \S+ HTTP\/1\.[01]\r?$/;

/**
 * Returns the error to send for a request that the parser refused.
 *
 * @param request.lineBytes the length of the request line, as far as it has arrived.
 * @param request.isInBody whether the head was complete and the body was being read.
 */
export function parserRefusal(
  error: ParserError,
  { lineBytes, isInBody }: { lineBytes: number; isInBody: boolean },
): StaveError {
  switch (error.code) {
    case 'HPE_INVALID_EOF_STATE':
      return malformed(
        isInBody
          ? 'The body ended early: the connection was closed before all of it had come.'
          : 'The request ended early: the connection was closed before the end of its headers.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new StaveError(
        'request_timeout',
        'The request did not arrive in time; send it again.',
      );
    case 'HPE_HEADER_OVERFLOW':
      return lineBytes > MAX_URL_BYTES ? uriTooLong() : headersTooLarge();
    case 'HPE_INVALID_URL':
      return malformed('The URL holds characters that must be percent-encoded.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return framingTooLarge();
    case 'HPE_INVALID_METHOD':
    case 'HPE_INVALID_CONSTANT':
      return REQUEST_LINE.test(faultyLine(error)) ? unknownMethod() : malformed();
    default:
      return malformed();
  }
}

function unknownMethod(): StaveError {
  return new StaveError('not_implemented', 'The method is not one of HTTP.');
}

function uriTooLong(): StaveError {
  return new StaveError(
    'uri_too_long',
    'The URL is over 8 KB; POST /v1/search takes long questions in its body.',
  );
}

function headersTooLarge(): StaveError {
  return new StaveError('headers_too_large', 'The headers are over 16 KB or 100 fields.');
}

/** Returns a 413 for a chunked body that is mostly framing. */
export function framingTooLarge(): StaveError {
  return new StaveError(
    'payload_too_large',
    'The chunks of the body are too small or carry too much beside it; send fewer, larger chunks.',
  );
}

/** Returns a 400 for a violation of HTTP itself; `message` is a sentence that says which. */
export function malformed(message = 'The request is not well-formed HTTP/1.1.'): StaveError {
  return new StaveError('invalid_request', message);
}

/** Returns the line of the chunk in which the parser stopped. */
function faultyLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): string {
  const text = rawPacket.toString('latin1');
  const start = text.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? undefined : end);
}
