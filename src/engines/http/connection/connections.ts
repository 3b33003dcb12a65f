import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { StaveError } from '../../../common/errors.ts';
import type { HeaderFields } from '../response/headers.ts';
import { endConnection, Intake, type IntakeDependencies } from './intake.ts';
import { type Exchange, type ParserError, parserRefusal, requestIdFrom } from './request-guard.ts';
import { Turns } from './turns.ts';

/** A request that gets a raw response, because Node's parser did not accept it. */
export interface RefusedRequest {
  requestId: string;
  isHead: boolean;
  socket: Duplex;
}

interface ConnectionDependencies extends Pick<IntakeDependencies, 'stalledMs' | 'laneOf'> {
  /** Returns the bytes of the last response of a connection. Called once for each such response. */
  makeRawResponse(refusal: StaveError, request: RefusedRequest): Buffer;
  /** Makes the refusal for a connection while all connections together hold too many bytes. */
  refusalWhenFull(): StaveError;
}

/** What all listeners of a thread share, because they share its event loop and its memory. */
const SHARED = { turns: new Turns(), held: { bytes: 0 } };

/** Keeps the intake of each connection, and responds to what Node's parser does not accept as a request. */
export class Connections {
  readonly #intakes = new WeakMap<Duplex, Intake>();
  readonly #deps: ConnectionDependencies;
  readonly #ofIntakes: IntakeDependencies;

  constructor(deps: ConnectionDependencies) {
    this.#deps = deps;
    this.#ofIntakes = {
      ...SHARED,
      stalledMs: deps.stalledMs,
      laneOf: deps.laneOf,
      onBodyFault: (intake, exchange, fault) => this.#failBody(intake, exchange, fault),
      onFull: (intake) => this.#refuseMore(intake),
    };
  }

  /** Makes the intake of a connection on which `node:http` waits for requests. */
  opened(socket: Socket): void {
    this.#intakes.set(socket, new Intake(socket, this.#ofIntakes));
  }

  /** Tells the intake of the connection that this request has begun; the next one follows its response. */
  began(exchange: Exchange): void {
    this.#intakes.get(exchange.request.socket)!.began(exchange);
  }

  /**
   * Listener of Node's `clientError`: the parser refused the bytes, or gave up waiting for them. An error in a
   * body becomes the response to its request; any other error gets a response of its own.
   */
  onClientError(error: ParserError, socket: Duplex): void {
    if (socket.writableEnded) {
      // The last response has been written. The connection waits to be closed.
      return;
    }
    const intake = this.#intakes.get(socket);
    if (!socket.writable || intake === undefined || !isOfParser(error)) {
      socket.destroy();
      return;
    }
    const { latest, head } = intake;
    const isInBody = latest !== undefined && !latest.request.complete;
    const refusal = parserRefusal(error, { lineBytes: head.lineBytes, isInBody });
    if (isInBody) {
      this.#failBody(intake, latest, refusal);
    } else {
      this.#refuse(intake, refusal, { isHead: head.isHead });
    }
  }

  /** Listener of Node's `connect`: Stave is not a proxy. */
  onConnect(request: IncomingMessage, socket: Duplex): void {
    const refusal = new StaveError(
      'method_not_allowed',
      'CONNECT is not served: this is no proxy.',
      {
        headers: { Allow: 'GET, HEAD, POST, OPTIONS' },
      },
    );
    socket.on('error', () => socket.destroy());
    const requestId = requestIdFrom(request.headers['x-request-id']);
    this.#refuse(this.#intakes.get(socket)!, refusal, { isHead: false, requestId });
  }

  /** Refuses the rest of a body. The response reports it, unless it has begun already. */
  #failBody(intake: Intake, exchange: Exchange, fault: StaveError): void {
    intake.close();
    if (exchange.response.headersSent) {
      afterResponse(exchange, () => intake.socket.destroy());
    } else {
      exchange.failBody(fault);
    }
  }

  /** Refuses a connection that holds many bytes while all connections together hold too many. */
  #refuseMore(intake: Intake): void {
    const { latest } = intake;
    if (latest !== undefined && !latest.response.closed) {
      intake.close();
      latest.isLast = true;
      afterResponse(latest, () => intake.socket.destroySoon());
    } else {
      this.#refuse(intake, this.#deps.refusalWhenFull(), { isHead: false });
    }
  }

  #refuse(
    intake: Intake,
    refusal: StaveError,
    { isHead, requestId = randomUUID() }: { isHead: boolean; requestId?: string },
  ): void {
    const { latest, socket } = intake;
    intake.close();
    afterResponse(latest, () => {
      if (!socket.writable) {
        return;
      }
      endConnection(socket, this.#deps.makeRawResponse(refusal, { requestId, isHead, socket }));
    });
  }
}

/** Whether the error comes from the parser. After an error of the connection or of TLS, no response can be sent. */
function isOfParser({ code = '' }: ParserError): boolean {
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

function afterResponse(exchange: Exchange | undefined, then: () => void): void {
  if (exchange === undefined || exchange.response.closed) {
    then();
  } else {
    exchange.response.once('close', then);
  }
}

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
