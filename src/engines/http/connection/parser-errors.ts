import { StaveError } from '../../../common/errors.ts';

/** Node's error for a request that its parser refused, or that arrived too slowly. */
export interface ParserError extends Error {
  code?: string | undefined;
  /** The chunk that was being parsed. */
  rawPacket?: Buffer;
  /** How much of the chunk was parsed before the error. */
  bytesParsed?: number;
}

/** The longest URL (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_URL_BYTES = 8 * 1024;

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

/** Returns a 501 for an unknown method. */
export function unknownMethod(): StaveError {
  return new StaveError('not_implemented', 'The method is not one of HTTP.');
}

/** Returns a 414. */
export function uriTooLong(): StaveError {
  return new StaveError(
    'uri_too_long',
    'The URL is over 8 KB; POST /v1/search takes long questions in its body.',
  );
}

/** Returns a 431. */
export function headersTooLarge(): StaveError {
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
