import type { IncomingMessage } from 'node:http';
import { StaveError } from '../../../common/errors.ts';
import type { Exchange } from './exchange.ts';
import { METHODS } from './methods.ts';
import {
  headersTooLarge,
  MAX_URL_BYTES,
  malformed,
  unknownMethod,
  uriTooLong,
} from './parser-errors.ts';

/** Limits of docs/contract/limits.md#bounds-of-a-request. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_FIELDS = 100;

/** The length of the two spaces of a request line, and of its version. */
const REQUEST_LINE_REST = '  HTTP/1.1'.length;

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
