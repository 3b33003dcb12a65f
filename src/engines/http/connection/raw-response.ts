import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { HeaderFields } from '../response/headers.ts';

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

/** A year, as is usual. Not for other hosts, and not for the lists of browsers: the operator decides about these. */
const STRICT: HeaderFields = { 'Strict-Transport-Security': 'max-age=31536000' };
const NONE: HeaderFields = {};

/**
 * Returns the header that tells browsers to call this host only over HTTPS, for a response on this connection. Over plain
 * HTTP it has no effect and is not allowed (RFC 6797 §7.2), so behind a proxy with TLS, the proxy sends it.
 */
export function strictTransport(socket: Duplex | null): HeaderFields {
  return socket instanceof TLSSocket ? STRICT : NONE;
}

/** A response that has this header from the start, also where Node itself responds. */
export class StrictResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(...parameters: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...parameters);
    const [request] = parameters;
    for (const [name, value] of Object.entries(strictTransport(request.socket))) {
      this.setHeader(name, value);
    }
  }
}
