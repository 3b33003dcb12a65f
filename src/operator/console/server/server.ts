import type { RequestListener } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { StaveError } from '../../../common/errors.ts';
import type { Log } from '../../../common/log.ts';
import { createGuardedServer } from '../../../engines/http/connection/guarded-server.ts';
import type { ServedCertificate } from '../../../engines/http/connection/served-certificate.ts';
import { TrustedProxies } from '../../../engines/http/connection/trusted-proxies.ts';
import { answerError, refusedPage, sendHtml } from '../pages/answers.ts';
import { readAssets } from '../pages/layout.ts';
import { type ConsoleDependencies, type ConsoleRoute, checkToken, formOf } from '../pages/page.ts';
import { addRoutes } from './add-routes.ts';
import { type Cookies, Guard, nextPage } from './guard.ts';
import { Login } from './login.ts';
import { type Session, Sessions } from './sessions.ts';

/** Limits of what a stranger may send. Uploads have their own, and only a session may make one. */
const MAX_FORM_BYTES = 256 * 1024;
const MAX_LOGIN_BYTES = 4 * 1024;
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
}

/** The server does not listen yet. */
export function makeConsoleServer({ routes, tls, ...deps }: ConsoleServerOptions): FastifyInstance {
  const { context } = deps;
  const { config, store, clock, log } = context;
  const sessions = new Sessions({ clock });
  const guard = new Guard({ context, sessions, isTls: tls !== null });
  const proxies = new TrustedProxies(config.trustProxy || []);
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
  app.addHook('onRequest', (request, reply) => guard.check(request, reply));
  app.addHook('onResponse', async (request, reply) => logRequest(log, { request, reply, proxies }));
  app.setErrorHandler((error, request, reply) => answerError(log, { error, request, reply }));
  app.setNotFoundHandler(() => {
    throw new StaveError('not_found', 'There is no such page.');
  });
  addLogin(app, {
    login: new Login({ store: store.console, sessions, clock }),
    proxies,
    cookies: guard.cookies,
    sessions,
  });
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
  }
  interface FastifyRequest {
    session?: Session;
    /** Why the response is an error, for the log. */
    refusal?: { error?: string; problem: string };
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
  const { method, url, raw, refusal } = request;
  const path = url.split('?', 1)[0]!.slice(0, MAX_LOGGED_PATH);
  const isLogin = method === 'POST' && path === '/login';
  const status = reply.statusCode;
  if (status < 400 && !isLogin) return;
  const caller = proxies.callerOfRequest(raw);
  log.info(
    { method, path, status, ...refusal, caller },
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

function addLogin(
  app: FastifyInstance,
  {
    login,
    proxies,
    cookies,
    sessions,
  }: { login: Login; proxies: TrustedProxies; cookies: Cookies; sessions: Sessions },
): void {
  const open = { config: { isPublic: true } };
  app.get('/login', open, async ({ query }, reply) => {
    const { next, unsaved, unkept } = query as Record<string, unknown>;
    const page = await login.page({
      next: nextPage(typeof next === 'string' ? next : null),
      ...(unsaved === '1' && { notice: 'Your session has ended, so the form was not saved.' }),
      ...(unkept === '1' && { notice: UNKEPT }),
    });
    return sendHtml(reply, 200, page);
  });
  app.post('/login', { ...open, bodyLimit: MAX_LOGIN_BYTES }, async (request, reply) => {
    const form = formOf(request);
    const next = nextPage(form.get('next'));
    const result = await login.try(form.get('password') ?? '', {
      network: proxies.callerOfRequest(request.raw),
      device: cookies.read(request, 'device'),
    });
    if ('session' in result) {
      const { session, device } = result;
      const set = [
        cookies.write(request, 'console', session),
        cookies.write(request, 'device', device),
      ];
      return reply.header('Set-Cookie', set).redirect(next, 303);
    }
    const { status, error, problem, retryAfter } = result;
    request.refusal = { error, problem };
    if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
    return sendHtml(reply, status, await login.page({ next, problem }));
  });
  app.post('/logout', async (request, reply) => {
    checkToken(formOf(request), request.session!);
    sessions.end(request.session!);
    return reply
      .header('Set-Cookie', cookies.write(request, 'console', ''))
      .redirect('/login', 303);
  });
}
