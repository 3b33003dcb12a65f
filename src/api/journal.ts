import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../kernel/log.ts';
import { Exchange } from './exchange.ts';
import type { ServerMetrics } from './server-metrics.ts';

/** What a path may take up of a log line. */
const MAX_LOGGED_PATH = 200;

/**
 * Knows the exchanges that are open, and tells log and metrics of each when it ends. A line holds
 * the path without its query, for signed URLs live there, and no header.
 */
export class Journal {
  /** By connection, so that one that closes costs no look at all the others. */
  readonly #open = new Map<Socket, Set<Exchange>>();
  #openCount = 0;
  readonly #log: Log;
  readonly #metrics: ServerMetrics;
  #onDrained: (() => void) | undefined;
  /** One listener for all answers: one for each would be made, wrapped and thrown away each time. */
  readonly #onAnswerClosed: (this: ServerResponse) => void;

  constructor(deps: { log: Log; metrics: ServerMetrics }) {
    this.#log = deps.log;
    this.#metrics = deps.metrics;
    const ended = (exchange: Exchange) => this.#ended(exchange);
    this.#onAnswerClosed = function () {
      ended(Exchange.of(this.req));
    };
  }

  began(exchange: Exchange): void {
    const { socket } = exchange.request;
    const beside = this.#open.get(socket);
    if (beside === undefined) {
      this.#open.set(socket, new Set([exchange]));
    } else {
      beside.add(exchange);
    }
    this.#openCount++;
    this.#metrics.began();
    exchange.response.on('close', this.#onAnswerClosed);
  }

  /** A connection is gone: answers that waited for their turn on it will never begin. */
  connectionClosed(socket: Socket): void {
    for (const exchange of this.#open.get(socket) ?? []) {
      this.#ended(exchange);
    }
    this.#open.delete(socket);
  }

  /** An answer outside of any exchange. */
  refused(refusal: { kind: string; status: number; requestId: string }): void {
    this.#metrics.refused(refusal.kind);
    this.#log.info(refusal, 'malformed request');
  }

  /** Resolves when every open exchange has ended; from now on each is the last of its connection. */
  drained(): Promise<void> {
    for (const exchange of [...this.#open.values()].flatMap((ofOne) => [...ofOne])) {
      exchange.isLast = true;
    }
    return this.#openCount === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#onDrained = resolve;
        });
  }

  #ended(exchange: Exchange): void {
    if (!this.#open.get(exchange.request.socket)?.delete(exchange)) {
      return;
    }
    this.#openCount--;
    const { request, response, operationId } = exchange;
    const ms = performance.now() - exchange.startedMs;
    const aborted = !response.writableFinished;
    // What was not sent whole has no status that anybody saw.
    const status = aborted ? undefined : response.statusCode;
    this.#metrics.ended(operationId, status, ms / 1000);
    this.#log.info(
      {
        requestId: exchange.requestId,
        operationId,
        method: request.method,
        path: loggedPath(exchange.rawUrl),
        aborted: aborted || undefined,
        status,
        ms: Math.round(ms * 100) / 100,
        clientId: exchange.caller?.clientId,
      },
      'request',
    );
    if (this.#openCount === 0) {
      this.#onDrained?.();
    }
  }
}

function loggedPath(url: string): string {
  const mark = url.indexOf('?');
  return url.slice(0, mark < 0 ? MAX_LOGGED_PATH : Math.min(mark, MAX_LOGGED_PATH));
}
