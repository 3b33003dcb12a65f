import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_KINDS, OperatorError, StaveError } from '../../../common/errors.ts';
import type { Log } from '../../../common/log.ts';
import { explain } from '../../../common/text/explain.ts';
import type { Refusal } from '../../../engines/http/connection/guarded-server.ts';
import type { Session } from '../server/sessions.ts';
import { type Html, html } from './html.ts';
import { barePage, pageInLayout } from './layout.ts';
import { type ConsoleAnswer, FormRefused, type Page, RoleRefused } from './page.ts';

const HTML = 'text/html; charset=utf-8';

/** The headers of every response. */
export const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // With no-referrer, browsers would send `Origin: null` with forms of the console itself.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export function answer(
  result: ConsoleAnswer,
  { request, reply, session }: { request: FastifyRequest; reply: FastifyReply; session: Session },
): FastifyReply {
  if ('to' in result) {
    if (result.notice !== undefined) session.notices.push(result.notice);
    return reply.redirect(result.to, 303);
  }
  if ('body' in result) {
    const disposition = `attachment; filename="${result.name.replace(/[^\w.-]/g, '_')}"`;
    return reply
      .headers({ 'Content-Type': result.type, 'Content-Disposition': disposition })
      .send(result.body);
  }
  if ('file' in result) {
    const { status = 200, headers, body, contentType } = result.file;
    return reply
      .code(status)
      .headers({ ...headers, 'Content-Type': contentType })
      .send(body);
  }
  return sendPage(result, { request, reply, session });
}

export function answerError(
  log: Log,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  const { session } = request;
  const status = statusOf(error);
  if (!isRefusal(error) && status >= 500) {
    log.error({ err: error }, 'a page of the console failed');
  }
  if (error instanceof StaveError) reply.headers(error.headers);
  const message = isRefusal(error)
    ? problemOf(error)
    : (REASONS[status] ?? 'The request cannot be answered.');
  const kind = error instanceof StaveError ? error.kind : undefined;
  if (error instanceof StaveError) reply.headers(error.headers);
  request.refusal = { ...(kind && { error: kind }), problem: message };
  if (session === undefined) return sendBare(reply, status, message);
  return sendPage(errorPage(status, html`<p>${message}</p>`), { request, reply, session });
}

export function errorPage(status: number, message: Html): Page {
  const title = status === 404 ? 'Not found' : 'That did not work';
  return { title: 'Error', main: html`<h1>${title}</h1>${message}`, status };
}

/** By status, for requests that were refused before a page handled them. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  408: 'The request did not arrive in time.',
  413: 'The form is too large.',
  414: 'The address is too long.',
  415: 'The form has a type that the console does not read.',
  431: 'The headers of the request are too long.',
  500: 'The page failed; the log says why.',
};

/** Whether an error tells the operator what to do. All others are faults of the console. */
export function isRefusal(error: unknown): error is Refused {
  return error instanceof StaveError || error instanceof OperatorError || isOfConsole(error);
}

type Refused = StaveError | OperatorError | FormRefused | RoleRefused;

function isOfConsole(error: unknown): error is FormRefused | RoleRefused {
  return error instanceof FormRefused || error instanceof RoleRefused;
}

export function problemOf(error: Refused): string {
  const message = isOfConsole(error) ? error.message : explain(error);
  // The command line puts its own name before it.
  return message.charAt(0).toUpperCase() + message.slice(1);
}

export function statusOf(error: unknown): number {
  if (error instanceof StaveError) return ERROR_KINDS[error.kind].status;
  if (error instanceof OperatorError) return 400;
  if (isOfConsole(error)) return 403;
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : 500;
}

/**
 * Whether no person has asked for this page: the script refreshes a part of the page that is shown, or the browser loads
 * the page in advance.
 */
export function isUnattended({ headers, method }: FastifyRequest): boolean {
  const isEarly = headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
  return method === 'HEAD' || isEarly || headers['x-console-refresh'] !== undefined;
}

/** Sends a page without a session. */
export function sendBare(reply: FastifyReply, status: number, message: string): FastifyReply {
  reply.request.refusal ??= { problem: message };
  return sendHtml(reply, status, bareError(status, message));
}

function bareError(status: number, message: string): string {
  return barePage('Error', html`<h1>Error ${status}</h1><p>${message}</p>`);
}

export function sendHtml(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type(HTML).send(text);
}

/** For a request that the server refuses before the console sees it. */
export function refusedPage({ status, message }: StaveError): Refusal {
  const body = bareError(status, REASONS[status] ?? message);
  return { headers: { ...HEADERS, 'Content-Type': HTML }, body };
}

function sendPage(
  page: Page,
  { request, reply, session }: { request: FastifyRequest; reply: FastifyReply; session: Session },
): FastifyReply {
  const path = request.url.split('?')[0]!;
  // Notices are shown once, so they wait for a page that somebody sees.
  const notices = isUnattended(request) ? [] : session.notices.splice(0);
  if (page.problem !== undefined) notices.push({ kind: 'problem', content: page.problem });
  return sendHtml(reply, page.status ?? 200, pageInLayout(page, { path, session, notices }));
}
