import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { HeaderFields } from '../input/versions.ts';

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
