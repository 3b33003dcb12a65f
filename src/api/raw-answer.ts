import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../kernel/clock.ts';
import type { StaveError } from '../kernel/errors.ts';
import { ENVELOPE_TYPE, errorEnvelope } from './envelope.ts';
import { BASE_HEADERS } from './versions.ts';

/**
 * How long a refused connection is still read from. Closing at once, with bytes unread, resets the
 * connection, and a reset can overtake the answer.
 */
const LINGER_MS = 1000;

/** The same envelope and headers as any error, for requests that never became one. */
export function rawAnswer(error: StaveError, requestId: string, clock: Clock): Buffer {
  const body = errorEnvelope(error, requestId);
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
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n`, 'latin1'),
    body,
  ]);
}

/** Writes the last bytes of a connection and sees it closed. */
export function endConnection(socket: Duplex, bytes: Buffer): void {
  socket.end(bytes);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
