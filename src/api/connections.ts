import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../kernel/clock.ts';
import { StaveError } from '../kernel/errors.ts';
import type { Exchange } from './exchange.ts';
import { type ParserError, parserRefusal } from './parser-errors.ts';
import { endConnection, rawAnswer } from './raw-answer.ts';

/** Told of each answer that no exchange stands for. */
export type OnRawAnswer = (refusal: { kind: string; status: number; requestId: string }) => void;

/** Lets the exchanges of each connection take turns, and refuses what never became one. */
export class Connections {
  readonly #latest = new WeakMap<Duplex, Exchange>();
  readonly #clock: Clock;
  readonly #onTurn: (exchange: Exchange) => void;
  readonly #onRawAnswer: OnRawAnswer;

  constructor(deps: {
    clock: Clock;
    onTurn: (exchange: Exchange) => void;
    onRawAnswer: OnRawAnswer;
  }) {
    this.#clock = deps.clock;
    this.#onTurn = deps.onTurn;
    this.#onRawAnswer = deps.onRawAnswer;
  }

  /**
   * Calls `onTurn` when it is the exchange's turn: at once, or when the one before it on its
   * connection is answered. So a client that pipelines hundreds of requests and reads nothing has one
   * of them at work, not hundreds of open files and finished pages. Never calls it where the
   * connection ends before, so that nothing is done which nobody is told of, nor what follows bad
   * framing.
   */
  began(exchange: Exchange): void {
    const { socket } = exchange.request;
    const before = this.#latest.get(socket);
    this.#latest.set(socket, exchange);
    if (before === undefined || before.response.closed) {
      this.#turn(exchange, before);
    } else {
      before.response.once('close', () => this.#turn(exchange, before));
    }
  }

  #turn(exchange: Exchange, before: Exchange | undefined): void {
    if (!exchange.request.socket.destroyed && !before?.isLast) {
      this.#onTurn(exchange);
    }
  }

  /**
   * Listener of Node's `clientError`: the parser refused what came, or gave up waiting for it. Where
   * that is the body of a request, the request's own answer says so; else it is a request of its own,
   * and is answered when those before it are (RFC 9112 §9.3.2).
   */
  onClientError(error: ParserError, socket: Duplex): void {
    if (socket.writableEnded) {
      // Answered, and lingering.
      return;
    }
    if (!socket.writable || !isAnswerable(error)) {
      socket.destroy();
      return;
    }
    const latest = this.#latest.get(socket);
    if (latest === undefined || latest.request.complete) {
      this.#refuse(socket, latest, parserRefusal(error));
    } else if (latest.response.headersSent) {
      // The answer went out before the body was read; nothing more can be said on this connection.
      whenAnswered(latest, () => socket.destroy());
    } else {
      latest.failBody(parserRefusal(error));
    }
  }

  /** Listener of Node's `connect`: this is no proxy. */
  onConnect(_request: IncomingMessage, socket: Duplex): void {
    const refusal = new StaveError(
      'method_not_allowed',
      'CONNECT is not served: this is no proxy.',
      {
        headers: { Allow: 'GET, HEAD, POST, OPTIONS' },
      },
    );
    socket.on('error', () => socket.destroy());
    this.#refuse(socket, this.#latest.get(socket), refusal);
  }

  #refuse(socket: Duplex, before: Exchange | undefined, refusal: StaveError): void {
    whenAnswered(before, () => {
      if (!socket.writable) {
        return;
      }
      const requestId = randomUUID();
      endConnection(socket, rawAnswer(refusal, requestId, this.#clock));
      this.#onRawAnswer({ kind: refusal.kind, status: refusal.status, requestId });
    });
  }
}

/** The parser's own errors; any other is of the connection or of TLS, and nobody is left to read. */
function isAnswerable({ code = '' }: ParserError): boolean {
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

function whenAnswered(exchange: Exchange | undefined, then: () => void): void {
  if (exchange === undefined || exchange.response.closed) {
    then();
  } else {
    exchange.response.once('close', then);
  }
}
