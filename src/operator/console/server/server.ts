import type { RequestListener } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import type { Log } from '../../../common/log.ts';
import { createGuardedServer } from '../../../engines/http/connection/guarded-server.ts';
import type { ServedCertificate } from '../../../engines/http/connection/served-certificate.ts';
import { TrustedProxies } from '../../../engines/http/connection/trusted-proxies.ts';
import { FIRST_OPERATOR, MAX_NAME, type Role } from '../../../features/access/operator.ts';
import type { PasswordThrottle } from '../../../features/access/password-throttle.ts';
import {
  answerError,
  isRefusal,
  problemOf,
  refusedPage,
  sendBare,
  sendHtml,
  statusOf,
} from '../pages/answers.ts';
import { readAssets } from '../pages/layout.ts';
import { type ConsoleDependencies, type ConsoleRoute, checkToken, formOf } from '../pages/page.ts';
import { addRoutes } from './add-routes.ts';
import { Guard, nextPage } from './guard.ts';
import { Login, setPasswordPage } from './login.ts';
import { addOwnPassword } from './own-password.ts';
import { ProxySignIn } from './proxy-sign-in.ts';
import { leastRole } from './roles.ts';
import { type Session, Sessions } from './sessions.ts';

/** Limits of what a stranger may send. Uploads have their own, and only a session may make one. */
const MAX_FORM_BYTES = 256 * 1024;
const MAX_LOGIN_BYTES = 8 * 1024;
/** A browser opens up to six connections. Several operators may share an address. */
const MAX_CONNECTIONS = { inAll: 100, ofAddress: 32 };
const UPLOAD_MS = 60 * 60_000;
const MAX_LOGGED_PATH = 200;

/** For a browser that has refused the cookies. */
const UNKEPT =
  'The password was right, but this browser does not keep the cookies of the console. Safari keeps them only over https.';

export interface ConsoleServerOptions extends ConsoleDependencies {
  routes: readonly ConsoleRoute[];
  tls: ServedCertificate | null;
  passwordThrottle: PasswordThrottle;
}

/** The server does not listen yet. */
export function makeConsoleServer({
  routes,
  tls,
  passwordThrottle,
  ...deps
}: ConsoleServerOptions): FastifyInstance {
  const { context } = deps;
  const { config, store, clock, log } = context;
  const sessions = new Sessions({ clock });
  const proxies = new TrustedProxies(config.trustProxy || []);
  const signIn = new ProxySignIn(config.consoleUserHeader, proxies);
  const guard = new Guard({ context, sessions, signIn, isTls: tls !== null });
  const app = Fastify({
    serverFactory: (onRequest) =>
      createGuardedServer({
        tls,
        maxConnections: MAX_CONNECTIONS,
        proxies,
        // The guard of the console has a shorter limit for forms.
        timeouts: { requestMs: UPLOAD_MS },
        refusal: refusedPage,
        onRequest: onRequest as RequestListener,
      }),
    // The server handles these errors itself.
    clientErrorHandler: () => {},
    bodyLimit: MAX_FORM_BYTES,
    routerOptions: { maxParamLength: 500 },
    forceCloseConnections: true,
    frameworkErrors: (_, request, reply) =>
      guard.refuse(request as FastifyRequest, reply as FastifyReply),
  }) as FastifyInstance;
  addBodies(app);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.isPublic !== true && config?.least === undefined) {
      throw new Error(`${String(method)} ${url} is open to every role`);
    }
  });
  app.addHook('onRequest', (request, reply) => guard.check(request, reply));
  app.addHook('onResponse', async (request, reply) => logRequest(log, { request, reply, proxies }));
  app.setErrorHandler((error, request, reply) => answerError(log, { error, request, reply }));
  app.setNotFoundHandler(() => {
    throw new StaveError('not_found', 'There is no such page.');
  });
  const login = new Login({ store: store.operators, throttle: passwordThrottle, log });
  addLogin(app, { login, proxies, guard, sessions, hasPasswords: config.consolePasswords });
  for (const [path, { headers, body }] of readAssets()) {
    app.get(path, { config: { isPublic: true } }, (_, reply) => reply.headers(headers).send(body));
  }
  addRoutes(app, routes, deps);
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublic?: boolean;
    isUpload?: boolean;
    /** The role that a request needs. */
    least?: Role;
  }
  interface FastifyRequest {
    session?: Session;
    /** Why the response is an error, for the log. */
    refusal?: { error?: string; problem: string; operator?: string };
    /** Who has logged in, for the log. */
    operator?: string;
  }
}

/** Logs every login and every error. */
function logRequest(
  log: Log,
  {
    request,
    reply,
    proxies,
  }: { request: FastifyRequest; reply: FastifyReply; proxies: TrustedProxies },
): void {
  const { method, url, raw, refusal, session } = request;
  const operator = request.operator ?? session?.name;
  const path = url.split('?', 1)[0]!.slice(0, MAX_LOGGED_PATH);
  const isLogin = method === 'POST' && path === '/login';
  const status = reply.statusCode;
  if (status < 400 && !isLogin) return;
  const caller = proxies.callerOfRequest(raw);
  log.info(
    { method, path, status, ...(operator && { operator }), ...refusal, caller },
    isLogin ? 'login to the console' : 'request to the console',
  );
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

interface LoginDependencies {
  login: Login;
  proxies: TrustedProxies;
  guard: Guard;
  sessions: Sessions;
  /** False: operators sign in only by a proxy. */
  hasPasswords: boolean;
}

function addLogin(app: FastifyInstance, deps: LoginDependencies): void {
  const { login, guard, sessions } = deps;
  app.get('/login', OPEN, async (request, reply) => {
    const { next: given, unsaved, unkept } = request.query as Record<string, unknown>;
    const next = nextPage(typeof given === 'string' ? given : null);
    const notice = unsaved === '1' ? UNSAVED : undefined;
    const session = await guard.enter(request, reply);
    if (reply.sent) return reply;
    if (session?.isOfProxy === true) {
      if (notice !== undefined) session.notices.push({ kind: 'problem', content: notice });
      return reply.redirect(next, 303);
    }
    if (!deps.hasPasswords) return sendNoPasswords(reply);
    const shown = { next, ...(notice && { notice }), ...(unkept === '1' && { notice: UNKEPT }) };
    return sendHtml(reply, 200, await login.page(shown));
  });
  app.post(
    '/logout',
    { config: { least: leastRole('POST', '/logout') } },
    async (request, reply) => {
      checkToken(formOf(request), request.session!);
      sessions.end(request.session!);
      return reply.header('Set-Cookie', guard.cookies.write(request, '')).redirect('/login', 303);
    },
  );
  if (deps.hasPasswords) addPasswords(app, deps);
  else {
    app.post('/login', OPEN, (_, reply) => sendNoPasswords(reply));
    app.get('/set-password', OPEN, (_, reply) => sendNoPasswords(reply));
    app.post('/set-password', OPEN, (_, reply) => sendNoPasswords(reply));
  }
}

function addPasswords(
  app: FastifyInstance,
  { login, proxies, guard, sessions }: LoginDependencies,
): void {
  app.post('/login', { ...OPEN, bodyLimit: MAX_LOGIN_BYTES }, async (request, reply) => {
    const form = formOf(request);
    const next = nextPage(form.get('next'));
    // A form of a page from before operators had names has none.
    const name = form.get('name') ?? FIRST_OPERATOR;
    const given = { name, password: form.get('password') ?? '' };
    const result = await login.try(given, proxies.callerOfRequest(request.raw));
    if (!('status' in result)) {
      const { cookie } = sessions.start(result.operator);
      request.operator = result.operator.name;
      return reply.header('Set-Cookie', guard.cookies.write(request, cookie)).redirect(next, 303);
    }
    const { status, retryAfter, ...refusal } = result;
    request.refusal = refusal;
    if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
    const shown = {
      next,
      name: name.slice(0, MAX_NAME * 2).toWellFormed(),
      problem: refusal.problem,
    };
    return sendHtml(reply, status, await login.page(shown));
  });
  addOwnPassword(app, { login, proxies, guard, sessions, maxBytes: MAX_LOGIN_BYTES });
  app.get('/set-password', OPEN, (_, reply) => sendHtml(reply, 200, setPasswordPage()));
  app.post('/set-password', { ...OPEN, bodyLimit: MAX_LOGIN_BYTES }, async (request, reply) => {
    const form = formOf(request);
    const [token, password] = [form.get('token')?.trim() ?? '', form.get('password') ?? ''];
    try {
      if (form.get('again') !== password) throw new OperatorError('the two passwords differ');
      await login.setPassword(token, password);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const problem = problemOf(error);
      const status = statusOf(error);
      request.refusal = { problem };
      const page = setPasswordPage({ token: token.slice(0, MAX_NAME), problem });
      return sendHtml(reply, status, page);
    }
    const page = await login.page({ next: '/', notice: 'Your password is set. Log in with it.' });
    return sendHtml(reply, 200, page);
  });
}

const OPEN = { config: { isPublic: true } };
const UNSAVED = 'Your session has ended, so the form was not saved.';

function sendNoPasswords(reply: FastifyReply): FastifyReply {
  return sendBare(
    reply,
    403,
    'Operators sign in by the proxy in front of the console: open its address. Passwords are off.',
  );
}
