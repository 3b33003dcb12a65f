import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StaveError } from '../kernel/errors.ts';
import { ENVELOPE_TYPE, errorEnvelope, successEnvelope } from './envelope.ts';
import type { Exchange } from './exchange.ts';
import type { Answer } from './route.ts';
import type { HeaderFields } from './versions.ts';

/** The spelling of headers that a handler may give in another one, and that are set here as well. */
const SPELLING = new Map(
  ['Content-Type', 'Content-Length', 'Cache-Control', 'Connection', 'Link', 'Retry-After'].map(
    (name) => [name.toLowerCase(), name],
  ),
);

/**
 * Sends what a handler answered. Resolves when a stream is through, rejects when it breaks after
 * the head was sent: the connection is then gone, which is all that a client can be told.
 */
export function sendAnswer(exchange: Exchange, answer: Answer): void | Promise<void> {
  const status = answer.status ?? 200;
  const extra = answer.headers;
  if ('envelope' in answer) {
    return sendBytes(exchange, status, ENVELOPE_TYPE, answer.envelope, extra);
  }
  if ('data' in answer) {
    return sendBytes(exchange, status, ENVELOPE_TYPE, successEnvelope(answer.data), extra);
  }
  if ('redirect' in answer) {
    return sendRedirect(exchange, answer.redirect, extra);
  }
  const { body, contentType } = answer;
  return body instanceof Readable
    ? sendStream(exchange, status, contentType, body, extra)
    : sendBytes(exchange, status, contentType, body, extra);
}

/** The bytes of a success that is nothing but its envelope; undefined for any other answer. */
export function plainEnvelope(answer: Answer): Buffer | undefined {
  if (answer.status !== undefined || answer.headers !== undefined || isBinary(answer)) {
    return undefined;
  }
  return 'envelope' in answer ? answer.envelope : successEnvelope(answer.data);
}

function isBinary(
  answer: Answer,
): answer is Extract<Answer, { body: unknown } | { redirect: string }> {
  return 'body' in answer || 'redirect' in answer;
}

/** Sends an error as an envelope. Does nothing where an answer has begun already. */
export function sendError(exchange: Exchange, error: StaveError): void {
  const { response, requestId } = exchange;
  if (response.headersSent || response.destroyed) {
    return;
  }
  sendBytes(exchange, error.status, ENVELOPE_TYPE, errorEnvelope(error, requestId), {
    'Cache-Control': 'no-store',
    ...error.headers,
  });
}

/** Sends an answer without a body: 204. */
export function sendEmpty(exchange: Exchange, extra: HeaderFields): void {
  exchange.response.writeHead(204, headOf(exchange, extra)).end();
}

function sendRedirect(exchange: Exchange, location: string, extra: HeaderFields | undefined): void {
  const head = { ...headOf(exchange, extra), Location: location, 'Content-Length': '0' };
  exchange.response.writeHead(302, head).end();
}

function sendBytes(
  exchange: Exchange,
  status: number,
  contentType: string,
  bytes: Buffer | null,
  extra: HeaderFields | undefined,
): void {
  const head = headOf(exchange, extra);
  if (status !== 204 && status !== 304) {
    head['Content-Type'] ??= contentType;
    // A HEAD may tell the length of what it leaves out by its own header.
    head['Content-Length'] ??= String(bytes?.length ?? 0);
  }
  const { request, response } = exchange;
  response.writeHead(status, head);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

async function sendStream(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: Readable,
  extra: HeaderFields | undefined,
): Promise<void> {
  const { request, response } = exchange;
  if (response.destroyed) {
    // The caller left while the file was opened; `pipeline` would refuse, and leave it open for ever.
    body.destroy();
    return;
  }
  const head = headOf(exchange, extra);
  head['Content-Type'] ??= contentType;
  response.writeHead(status, head);
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  await pipeline(body, response);
}

/** All headers of an answer but those of its body. What the answer brings replaces what stands. */
function headOf(exchange: Exchange, extra: HeaderFields | undefined): Record<string, string> {
  const head: Record<string, string> = {
    ...exchange.standingHeaders,
    'X-Request-Id': exchange.requestId,
    // What a token opens is the client's own; the rest may change at any time.
    'Cache-Control': exchange.caller === undefined ? 'no-cache' : 'private, no-cache',
    ...exchange.rateHeaders,
  };
  if (extra !== undefined) {
    for (const name of Object.keys(extra)) {
      head[SPELLING.get(name.toLowerCase()) ?? name] = extra[name]!;
    }
  }
  // A client that still waits for `100 Continue` may or may not send the body now: no telling where
  // the next request would begin.
  exchange.isLast ||= exchange.awaitsContinue;
  if (exchange.isLast) {
    head.Connection = 'close';
  }
  return head;
}
