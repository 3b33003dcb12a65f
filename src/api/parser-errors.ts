import { StaveError } from '../kernel/errors.ts';

/** What Node says of a request that its parser refused, or that came too slowly. */
export interface ParserError extends Error {
  code?: string | undefined;
  /** The chunk that was being parsed. */
  rawPacket?: Buffer;
  /** How much of the chunk was read before the fault. */
  bytesParsed?: number;
}

/** A request line whose method is a token (RFC 9110 §9.1), but none that the parser knows. */
const REQUEST_LINE = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+ \S+ HTTP\/1\.[01]\r?$/;

/** What a client is told of a request that never reached the program. */
export function parserRefusal(error: ParserError): StaveError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new StaveError(
        'request_timeout',
        'The request did not arrive in time; send it again.',
      );
    case 'HPE_HEADER_OVERFLOW':
      return isInRequestLine(error) ? uriTooLong() : headersTooLarge();
    case 'HPE_INVALID_URL':
      return malformed('The URL holds characters that must be percent-encoded.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new StaveError('payload_too_large', 'The chunk extensions of the body are too large.');
    case 'HPE_INVALID_METHOD':
    case 'HPE_INVALID_CONSTANT':
      return REQUEST_LINE.test(faultyLine(error)) ? unknownMethod() : malformed();
    default:
      return malformed();
  }
}

/** 501. */
export function unknownMethod(): StaveError {
  return new StaveError('not_implemented', 'The method is not one of HTTP.');
}

/** 414. */
export function uriTooLong(): StaveError {
  return new StaveError(
    'uri_too_long',
    'The URL is over 8 KB; POST /v1/search takes long questions in its body.',
  );
}

/** 431. */
export function headersTooLarge(): StaveError {
  return new StaveError('headers_too_large', 'The headers are over 16 KB or 100 fields.');
}

/** 400 for what HTTP itself does not allow; `message` says what, as a sentence. */
export function malformed(message = 'The request is not well-formed HTTP/1.1.'): StaveError {
  return new StaveError('invalid_request', message);
}

/** The line of the chunk in which the parser stopped. */
function faultyLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): string {
  const text = rawPacket.toString('latin1');
  const start = text.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? undefined : end);
}

/**
 * Whether the parser's own bound, which lies far above both of ours, was reached within the URL. Of
 * a request line that trickles in over several chunks only the last is seen here, and is taken for
 * headers.
 */
function isInRequestLine(error: ParserError): boolean {
  return /^[A-Z]+ \S/.test(faultyLine(error));
}
