import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { strictTransport } from './strict-transport.ts';

/**
 * How long a refused connection is still read, in milliseconds. Closing it with unread bytes would reset the
 * connection, and the reset can overtake the response.
 */
const LINGER_MS = 1000;

/**
 * Returns the bytes of the last response of a connection, for what Node's parser did not accept as a request; for HEAD,
 * only the headers.
 */
export function rawResponse({
  status,
  headers,
  body,
  isHead,
  socket,
}: {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  isHead: boolean;
  /** The connection of the response. */
  socket: Duplex;
}): Buffer {
  const fields = {
    ...headers,
    ...strictTransport(socket),
    'Content-Length': String(body.length),
    Connection: 'close',
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
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
