import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../common/clock.ts';
import type { StaveError } from '../common/errors.ts';
import { ENVELOPE_TYPE, errorEnvelope } from './envelope.ts';
import { BASE_HEADERS } from './versions.ts';

/**
 * How long a refused connection is still read, in milliseconds. Closing it with unread bytes would reset the
 * connection, and the reset can overtake the response.
 */
const LINGER_MS = 1000;

interface RawResponseOptions {
  requestId: string;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: string;
  clock: Clock;
  isHead: boolean;
}

/**
 * Returns the bytes of an error response to something that Node's parser did not accept as a request, with
 * the usual envelope and headers; for HEAD, only the headers.
 */
export function rawResponse(
  error: StaveError,
  { requestId, publicUrl, clock, isHead }: RawResponseOptions,
): Buffer {
  const body = errorEnvelope(error, { requestId, publicUrl });
  const headers = {
    ...BASE_HEADERS,
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    ...error.headers,
    'Content-Type': ENVELOPE_TYPE,
    'Content-Length': String(body.length),
    Date: new Date(clock.now()).toUTCString(),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = error;
  const lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n`;
  return Buffer.concat([Buffer.from(lines, 'latin1'), ...(isHead ? [] : [body])]);
}

/** Writes the last bytes of a connection, if any, and makes sure that it closes. */
export function endConnection(socket: Duplex, bytes?: Buffer): void {
  // With TLS, a part of the response may still wait to be sent.
  socket.end(bytes, () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  });
  socket.resume();
}
