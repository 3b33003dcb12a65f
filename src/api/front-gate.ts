import type { IncomingMessage } from 'node:http';
import { StaveError } from '../kernel/errors.ts';
import type { Exchange } from './exchange.ts';
import { headersTooLarge, malformed, unknownMethod, uriTooLong } from './parser-errors.ts';

/** Bounds of decisions §1. */
const MAX_URL_BYTES = 8 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_FIELDS = 100;

/** The methods of RFC 9110 §9 and of RFC 5789; CONNECT is answered on its own. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/**
 * A host and an optional port (RFC 3986 §3.2.2). Narrower than the RFC by the comma, which is how a
 * second Host header hides in the first, and by the empty name, which http does not have.
 */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+;=-]+)(?::[0-9]*)?$/;

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/**
 * What Node's parser lets pass and should not, and our bounds, in the order of decisions §1: framing
 * and Host, 501, 414, 431, 417, the form of the target. Undefined where the request may go on; its
 * `url` is then a path and query, or the asterisk of `OPTIONS *`.
 */
export function frontGate(exchange: Exchange): StaveError | undefined {
  const { request } = exchange;
  const fields = surveyFields(request);
  const framing = framingFault(request, fields);
  if (framing !== undefined) {
    // Where the next request begins is in doubt.
    exchange.isLast = true;
    return malformed(framing);
  }
  if (!METHODS.has(request.method!)) {
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

/** What is to be known of the header fields as they came, for Node merges or drops repeated ones. */
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
    // Four bytes for the colon, the space and the line break.
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
  // Node keeps the first of these and drops the others in silence; joined, they are seen and refused.
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

/** The sentence that says what is wrong with version, framing or Host; undefined where nothing is. */
function framingFault(request: IncomingMessage, { hosts }: Fields): string | undefined {
  const { headers, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) {
    return 'The version of HTTP must be 1.1 or 1.0.';
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    // An empty one, or one that is not last, hides a body from one reader and shows it to the next.
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

/** Brings the target into origin-form, or says why it has none (RFC 9112 §3.2). */
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
