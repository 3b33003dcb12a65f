import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StaveError } from '../../../common/errors.ts';
import { Intake, type IntakeDependencies } from './intake.ts';
import { endConnection } from './raw-response.ts';
import { type Exchange, type ParserError, parserRefusal, requestIdFrom } from './request-guard.ts';
import { Turns } from './turns.ts';

/** What is known of a request that is no exchange. */
export interface RefusedRequest {
  requestId: string;
  isHead: boolean;
  socket: Duplex;
}

/**
 * Returns the bytes of a response that belongs to no exchange, and which is the last of its connection. Called once for
 * each of them.
 */
export type MakeRawResponse = (refusal: StaveError, request: RefusedRequest) => Buffer;

/** What all listeners of a thread share, because they share its event loop and its memory. */
const SHARED = { turns: new Turns(), held: { bytes: 0 } };

/** Keeps the intake of each connection, and responds to what Node's parser does not accept as a request. */
export class Connections {
  readonly #intakes = new WeakMap<Duplex, Intake>();
  readonly #makeRawResponse: MakeRawResponse;
  readonly #refusalWhenFull: () => StaveError;
  readonly #shared: IntakeDependencies;

  /**
   * @param deps.laneOf the lane of a connection whose latest request had no valid token:
   *   connections with the same lane share their turns.
   * @param deps.refusalWhenFull makes the refusal for a connection while all connections together hold too many bytes.
   */
  constructor(deps: {
    stalledMs: number;
    laneOf(socket: Socket): unknown;
    makeRawResponse: MakeRawResponse;
    refusalWhenFull(): StaveError;
  }) {
    this.#makeRawResponse = deps.makeRawResponse;
    this.#refusalWhenFull = () => deps.refusalWhenFull();
    this.#shared = {
      ...SHARED,
      stalledMs: deps.stalledMs,
      laneOf: deps.laneOf,
      onBodyFault: (intake, exchange, fault) => this.#failBody(intake, exchange, fault),
      onFull: (intake) => this.#refuseMore(intake),
    };
  }

  /** Makes the intake of a connection on which `node:http` waits for requests. */
  opened(socket: Socket): void {
    this.#intakes.set(socket, new Intake(socket, this.#shared));
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
      this.#refuse(intake, this.#refusalWhenFull(), { isHead: false });
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
      endConnection(socket, this.#makeRawResponse(refusal, { requestId, isHead, socket }));
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
