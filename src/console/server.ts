import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AppContext } from '../app/context.ts';
import { ERROR_KINDS, StaveError } from '../common/errors.ts';
import { explain } from '../common/explain.ts';
import { OperatorError } from '../common/operator-error.ts';
import { readAssets } from './assets.ts';
import { FormRefused } from './forms.ts';
import { Hosts } from './hosts.ts';
import { html } from './html.ts';
import { barePage, pageInLayout } from './layout.ts';
import { Login } from './login.ts';
import type { ConsoleRoute, Download, Page, Redirect } from './page.ts';
import { isEqual, SESSION_MS, type Session, Sessions } from './sessions.ts';

/** Limits of what a stranger may send. Uploads have their own, and only a session may make one. */
const MAX_FORM_BYTES = 256 * 1024;
const MAX_LOGIN_BYTES = 4 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_URL = 4_096;
const MAX_CONNECTIONS = 100;
const FORM_MS = 10_000;
const HEAD_MS = 10_000;
const UPLOAD_MS = 60 * 60_000;

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // With no-referrer, browsers would send `Origin: null` with forms of the console itself.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** What the server of the console needs. */
export interface ConsoleServerOptions {
  context: AppContext;
  routes: readonly ConsoleRoute[];
  tls: { cert: Buffer; key: Buffer } | null;
}

/** Makes the server of the console: sessions, forms and pages. It does not listen yet. */
export function makeConsoleServer({ context, routes, tls }: ConsoleServerOptions): FastifyInstance {
  const { config, store, clock } = context;
  const url = config.console?.url ?? null;
  const isSecure = tls !== null || url?.startsWith('https:') === true;
  const app = Fastify({
    ...(tls === null
      ? { http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEAD_MS } }
      : { https: { ...tls, maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEAD_MS } }),
    bodyLimit: MAX_FORM_BYTES,
    requestTimeout: UPLOAD_MS,
    trustProxy: config.trustProxy,
    routerOptions: { maxParamLength: 500 },
    forceCloseConnections: true,
    // An address that cannot be decoded has no route, and no hook runs for it.
    frameworkErrors(_, request, reply) {
      boundTime(request as FastifyRequest);
      sendBare(reply.headers(HEADERS) as FastifyReply, 400, 'The address is malformed.');
    },
  }) as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  const sessions = new Sessions({ clock });
  const guard = new Guard({ context, sessions, hosts: new Hosts(url), isSecure });
  addBodies(app);
  app.addHook('onRequest', (request, reply) => guard.check(request, reply));
  app.setErrorHandler((error, request, reply) => answerError(context, { error, request, reply }));
  app.setNotFoundHandler((_, reply) => sendBare(reply, 404, 'There is no such page.'));
  addLogin(app, { login: new Login({ store: store.console, sessions, clock }), guard, sessions });
  for (const [path, { headers, body }] of readAssets()) {
    app.get(path, { config: { isPublic: true } }, (_, reply) => reply.headers(headers).send(body));
  }
  for (const route of routes) addRoute(app, route);
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublic?: boolean;
    isUpload?: boolean;
  }
  interface FastifyRequest {
    session?: Session;
  }
}

/** Checks requests before their bodies are read. */
class Guard {
  readonly cookieName: string;
  readonly #context: AppContext;
  readonly #sessions: Sessions;
  readonly #hosts: Hosts;
  readonly #isSecure: boolean;

  constructor(deps: { context: AppContext; sessions: Sessions; hosts: Hosts; isSecure: boolean }) {
    this.#context = deps.context;
    this.#sessions = deps.sessions;
    this.#hosts = deps.hosts;
    this.#isSecure = deps.isSecure;
    this.cookieName = deps.isSecure ? '__Host-stave_console' : 'stave_console';
  }

  /** Sends the response itself if the request may not go on. */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.headers(HEADERS);
    if (request.url.length > MAX_URL) return sendBare(reply, 414, 'The address is too long.');
    if (!this.#hosts.isOurs(request.headers.host)) {
      return sendBare(
        reply,
        421,
        'The console does not answer to this host name: set STAVE_CONSOLE_URL.',
      );
    }
    const { isPublic = false, isUpload = false } = request.routeOptions.config;
    const unbind = boundTime(request);
    if (request.method === 'POST' && !this.#hosts.isOwnPage(request)) {
      return sendBare(reply, 403, 'The form does not come from a page of the console.');
    }
    if (isPublic) return undefined;
    const session = await this.#sessionOf(request, !isRefresh(request));
    if (session === undefined) return reply.redirect('/login', 303);
    request.session = session;
    if (isUpload) unbind();
    return undefined;
  }

  cookie(value: string): string {
    const age = value === '' ? 0 : SESSION_MS / 1_000;
    const secure = this.#isSecure ? '; Secure' : '';
    return `${this.cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
  }

  async #sessionOf({ headers }: FastifyRequest, renews: boolean): Promise<Session | undefined> {
    const given = (headers.cookie ?? '').split(';').map((part) => part.trim());
    const own = given.find((part) => part.startsWith(`${this.cookieName}=`));
    if (own === undefined) return undefined;
    const password = await this.#context.store.console.password();
    if (password === undefined) return undefined;
    return this.#sessions.find(password, own.slice(this.cookieName.length + 1), { renews });
  }
}

/**
 * Ends the connection of a request whose body does not arrive in time, also when the response is sent already. Returns a
 * function that removes the limit.
 */
function boundTime({ raw }: FastifyRequest): () => void {
  const timer = setTimeout(() => {
    if (!raw.complete) raw.destroy();
  }, FORM_MS).unref();
  const unbind = () => clearTimeout(timer);
  raw.once('close', unbind);
  return unbind;
}

function addBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
  );
  app.addContentTypeParser('multipart/form-data', (request, _body, parsed) => {
    const isWanted = request.routeOptions.config.isUpload === true;
    parsed(isWanted ? null : new StaveError('unsupported_media_type', 'This form has no files.'));
  });
}

function addLogin(
  app: FastifyInstance,
  { login, guard, sessions }: { login: Login; guard: Guard; sessions: Sessions },
): void {
  const open = { config: { isPublic: true } };
  app.get('/login', open, async (_, reply) => sendHtml(reply, 200, await login.page()));
  app.post('/login', { ...open, bodyLimit: MAX_LOGIN_BYTES }, async (request, reply) => {
    const result = await login.try(formOf(request).get('password') ?? '', request.ip);
    if ('cookie' in result) {
      return reply.header('Set-Cookie', guard.cookie(result.cookie)).redirect('/', 303);
    }
    if (result.retryAfter !== undefined) reply.header('Retry-After', result.retryAfter);
    return sendHtml(reply, result.status, await login.page(result.problem));
  });
  app.post('/logout', async (request, reply) => {
    checkToken(request);
    sessions.end(request.session!);
    return reply.header('Set-Cookie', guard.cookie('')).redirect('/login', 303);
  });
}

function addRoute(app: FastifyInstance, route: ConsoleRoute): void {
  const { method, path, isUpload = false } = route;
  app.route({
    method,
    url: path,
    config: { isUpload },
    async handler(request, reply) {
      if (method === 'POST' && !isUpload) checkToken(request);
      const session = request.session!;
      const result = await route.handle({
        session,
        params: request.params as Record<string, string>,
        query: new URLSearchParams(request.url.split('?')[1] ?? ''),
        form: formOf(request),
        raw: request.raw,
      });
      return answer(result, { request, reply, session });
    },
  });
}

function answer(
  result: Page | Redirect | Download,
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
  const path = request.url.split('?')[0]!;
  // The script of a page drops all but one part of it: notices wait for a page that is shown.
  const notices = isRefresh(request) ? [] : session.notices.splice(0);
  return sendHtml(reply, result.status ?? 200, pageInLayout(result, { path, session, notices }));
}

/** Whether the script of a page refreshes a part of it, without a person who does something. */
function isRefresh({ headers }: FastifyRequest): boolean {
  return headers['x-console-refresh'] !== undefined;
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** Throws `invalid_request` unless the form has the token of the session. */
function checkToken(request: FastifyRequest): void {
  if (!isEqual(formOf(request).get('csrf') ?? '', request.session!.csrf)) {
    throw new FormRefused();
  }
}

/** Answers a failed form with the page it came from, and a failed page with the reason. */
function answerError(
  { log }: AppContext,
  given: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  const { error, request, reply } = given;
  const { session } = request;
  if (error instanceof FormRefused) return sendBare(reply, 403, error.message);
  const isKnown = error instanceof StaveError || error instanceof OperatorError;
  const status = statusOf(error);
  if (!isKnown && status >= 500) log.error({ err: error }, 'a page of the console failed');
  const told = status < 500 || isKnown ? explain(error) : 'The page failed; the log says why.';
  if (session === undefined) return sendBare(reply, status, told);
  if (isKnown && request.method === 'POST') {
    session.notices.push({ kind: 'problem', content: told });
    return reply.redirect(pageBefore(request), 303);
  }
  const main = html`<h1>${status === 404 ? 'Not found' : 'That did not work'}</h1><p>${told}</p>`;
  const path = request.url.split('?')[0]!;
  const notices = isRefresh(request) ? [] : session.notices.splice(0);
  return sendHtml(
    reply,
    status,
    pageInLayout({ title: 'Error', main }, { path, session, notices }),
  );
}

function statusOf(error: unknown): number {
  if (error instanceof StaveError) return ERROR_KINDS[error.kind].status;
  if (error instanceof OperatorError) return 400;
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : 500;
}

/** Returns the path of the page that sent a form. The guard has checked that it is one of the console. */
function pageBefore({ headers }: FastifyRequest): string {
  const from = URL.parse(headers.referer ?? '');
  if (from === null || from.host !== headers.host) return '/';
  // Two slashes at the beginning would name another host.
  return `/${(from.pathname + from.search).replace(/^\/+/, '')}`;
}

function sendHtml(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(text);
}

function sendBare(reply: FastifyReply, status: number, told: string): FastifyReply {
  return sendHtml(reply, status, barePage('Error', html`<h1>Error ${status}</h1><p>${told}</p>`));
}
