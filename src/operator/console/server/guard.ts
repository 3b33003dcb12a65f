import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../../../app/open/context.ts';
import { markAuthenticated } from '../../../engines/http/connection/guarded-server.ts';
import { HEADERS, isUnattended, sendBare } from '../pages/answers.ts';
import { loginPath, nextPage } from '../pages/next-page.ts';
import { Cookies } from './cookies.ts';
import { Hosts } from './hosts.ts';
import type { Session, Sessions } from './sessions.ts';

const MAX_URL = 4_096;
const FORM_MS = 10_000;
/** What is read of a request that goes on after its response, so that the response arrives. */
const MAX_REST_BYTES = 1024 * 1024;

/** Checks requests before their bodies are read. */
export class Guard {
  readonly cookies: Cookies;
  readonly #context: AppContext;
  readonly #sessions: Sessions;
  readonly #hosts: Hosts;

  constructor(deps: { context: AppContext; sessions: Sessions; isTls: boolean }) {
    const url = deps.context.config.console?.url ?? null;
    this.#context = deps.context;
    this.#sessions = deps.sessions;
    this.#hosts = new Hosts(url);
    this.cookies = new Cookies({ isHttps: deps.isTls || url?.startsWith('https:') === true });
  }

  /** Sends the response itself if the request may not go on. */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { isPublic = false, isUpload = false } = request.routeOptions.config;
    const unbind = bound(request, reply);
    if (this.#isElsewhere(request, reply)) return reply;
    if (request.url.length > MAX_URL) return sendBare(reply, 414, 'The address is too long.');
    if (request.method === 'POST' && !this.#hosts.isOwnPage(request)) {
      return sendBare(reply, 403, 'The form does not come from a page of the console.');
    }
    if (isPublic) return undefined;
    const session = await this.#sessionOf(request, !isUnattended(request));
    if (session === undefined) return reply.redirect(this.#loginFor(request), 303);
    request.session = session;
    markAuthenticated(request.raw);
    if (isUpload) unbind();
    return undefined;
  }

  /** Answers a request whose address cannot be decoded: it has no route, and no hook runs for it. */
  refuse(request: FastifyRequest, reply: FastifyReply): void {
    bound(request, reply);
    if (this.#isElsewhere(request, reply)) return;
    sendBare(reply, 400, 'The address is malformed.');
  }

  /** Gives the response its headers, and sends it if the request is for another host. */
  #isElsewhere({ headers }: FastifyRequest, reply: FastifyReply): boolean {
    reply.headers(HEADERS);
    if (this.#hosts.isOurs(headers.host)) return false;
    sendBare(reply, 421, 'The console does not answer to this host name: set STAVE_CONSOLE_URL.');
    return true;
  }

  async #sessionOf(request: FastifyRequest, renews: boolean): Promise<Session | undefined> {
    const cookie = this.cookies.read(request, 'console');
    if (cookie === undefined) return undefined;
    const password = await this.#context.store.console.password();
    if (password === undefined) return undefined;
    return this.#sessions.find(password, cookie, { renews });
  }

  /** The login that leads to the requested page, or to the page of the form that was sent. */
  #loginFor(request: FastifyRequest): string {
    const { method, url, headers } = request;
    const from = URL.parse(headers.referer ?? '');
    if (method === 'POST') {
      return loginPath(nextPage(from && from.pathname + from.search), { isUnsaved: true });
    }
    // A browser that comes from the login without a cookie has refused the one that it got.
    const isUnkept =
      from?.pathname === '/login' && this.cookies.read(request, 'device') === undefined;
    return loginPath(nextPage(url), { isUnkept });
  }
}

/**
 * Ends the connection of a request whose body does not arrive in time, and of one that goes on to send much, or for long,
 * after its response. Returns a function that removes the first limit.
 */
function bound({ raw }: FastifyRequest, { raw: response }: FastifyReply): () => void {
  const end = () => {
    if (!raw.complete) raw.destroy();
  };
  let timer = setTimeout(end, FORM_MS).unref();
  const unbind = () => clearTimeout(timer);
  raw.once('close', unbind);
  response.once('finish', () => {
    if (raw.complete) return;
    unbind();
    timer = setTimeout(end, FORM_MS).unref();
    let left = MAX_REST_BYTES;
    raw.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) end();
    });
  });
  return unbind;
}
