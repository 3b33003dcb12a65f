import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../../../app/open/context.ts';
import { isLoopback } from '../../../common/loopback.ts';
import { cookieValues } from '../../../common/text/cookies.ts';
import { markAuthenticated } from '../../../engines/http/connection/guarded-server.ts';
import { hostNameOf, hostUrl, isOwnHost } from '../../../engines/http/guard/host-names.ts';
import { reaches } from '../../../features/access/operator.ts';
import type { OperatorStore } from '../../../features/access/store/operator-store.ts';
import { HEADERS, isUnattended, sendBare, sendHtml } from '../pages/answers.ts';
import { html } from '../pages/html.ts';
import { barePage } from '../pages/layout.ts';
import { RoleRefused } from '../pages/page.ts';
import type { ProxySignIn } from './proxy-sign-in.ts';
import { SESSION_MS, type Session, type Sessions } from './sessions.ts';

const MAX_URL = 4_096;
const FORM_MS = 10_000;
/** The rest of a request that is read after its response, so that the response arrives. */
const MAX_REST_BYTES = 1024 * 1024;

/** Checks requests before their bodies are read. */
export class Guard {
  readonly cookies: Cookies;
  readonly #context: AppContext;
  readonly #sessions: Sessions;
  readonly #signIn: ProxySignIn;
  readonly #hosts: Hosts;

  constructor(deps: {
    context: AppContext;
    sessions: Sessions;
    signIn: ProxySignIn;
    isTls: boolean;
  }) {
    const url = deps.context.config.console?.url ?? null;
    this.#context = deps.context;
    this.#sessions = deps.sessions;
    this.#signIn = deps.signIn;
    this.#hosts = new Hosts(url);
    this.cookies = new Cookies({ isHttps: deps.isTls || url?.startsWith('https:') === true });
  }

  /** Sends the response itself if the request may not go on. */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { isPublic = false, isUpload = false, least = 'viewer' } = request.routeOptions.config;
    const unbind = bound(request, reply);
    if (this.#isElsewhere(request, reply)) return reply;
    if (request.url.length > MAX_URL) return sendBare(reply, 414, 'The address is too long.');
    if (request.method === 'POST' && !this.#hosts.isOwnPage(request)) {
      return sendBare(reply, 403, 'The form does not come from a page of the console.');
    }
    if (isPublic) return undefined;
    const session = await this.enter(request, reply);
    if (reply.sent) return reply;
    if (session === undefined) return reply.redirect(this.#loginFor(request), 303);
    request.session = session;
    markAuthenticated(request.raw);
    if (!reaches(session.role, least)) throw new RoleRefused(session.role, least);
    if (isUpload) unbind();
    return undefined;
  }

  /** Answers a request whose address cannot be decoded: it has no route, and no hook runs for it. */
  refuse(request: FastifyRequest, reply: FastifyReply): void {
    bound(request, reply);
    if (this.#isElsewhere(request, reply)) return;
    sendBare(reply, 400, 'The address is malformed.');
  }

  /**
   * Returns the session of a request, and starts one for an operator whom a proxy has signed in, except for a form: that is
   * of an earlier session. Undefined without a session. Sends a page if the proxy names somebody else.
   */
  async enter(request: FastifyRequest, reply: FastifyReply): Promise<Session | undefined> {
    const cookie = this.cookies.read(request);
    const found = cookie === undefined ? undefined : this.#sessions.find(cookie);
    const named = this.#signIn.nameIn(request.raw);
    const name = named ?? found?.name;
    const operator = name === undefined ? undefined : await this.#store.get(name);
    if (named !== undefined && operator?.enabled !== true) {
      if (found !== undefined) this.#sessions.end(found);
      refuseNamed(reply, named);
      return undefined;
    }
    if (operator === undefined) return undefined;
    const isOurs =
      found?.name === name && found?.sessionsId === operator.sessionsId && operator.enabled;
    if (found !== undefined && (!isOurs || found.isOfProxy !== (named !== undefined))) {
      this.#sessions.end(found);
    } else if (found !== undefined) {
      if (!isUnattended(request)) this.#sessions.renew(found);
      found.role = operator.role;
      return found;
    }
    if (named === undefined || request.method === 'POST') return undefined;
    // A client without cookies starts many, which are one sign-in.
    if (!this.#sessions.has(operator)) await this.#store.logLogin(operator.name, 'logged_in');
    const started = this.#sessions.start(operator, { isOfProxy: true });
    reply.header('Set-Cookie', this.cookies.write(request, started.cookie));
    return started.session;
  }

  get #store(): OperatorStore {
    return this.#context.store.operators;
  }

  /** Gives the response its headers, and sends it if the request is for another host. */
  #isElsewhere({ headers }: FastifyRequest, reply: FastifyReply): boolean {
    reply.headers(HEADERS);
    if (this.#hosts.isOurs(headers.host)) return false;
    sendBare(reply, 421, 'The console does not answer to this host name: set STAVE_CONSOLE_URL.');
    return true;
  }

  /** Returns the address of the login that leads to the requested page, or to the page of the form. */
  #loginFor(request: FastifyRequest): string {
    const { method, url, headers } = request;
    const from = URL.parse(headers.referer ?? '');
    if (method === 'POST') {
      return loginPath(nextPage(from && from.pathname + from.search), { isUnsaved: true });
    }
    // A browser that comes from the login without a cookie has refused the one that it got.
    const isUnkept = from?.pathname === '/login' && this.cookies.read(request) === undefined;
    return loginPath(nextPage(url), { isUnkept });
  }
}

const MAX_SHOWN_NAME = 200;

/** Answers a request of somebody whom a proxy has signed in, but who is no operator. */
function refuseNamed(reply: FastifyReply, named: string): void {
  const name = named.slice(0, MAX_SHOWN_NAME).toWellFormed();
  reply.request.refusal = { error: 'unknown_operator', problem: `${name} is no operator.` };
  const text = html`<h1>No operator</h1>
<p>You are signed in as <strong>${name}</strong>, who is not an operator of this console, or is disabled.</p>
<p>Ask an owner to add this name, or sign in as somebody else.</p>`;
  sendHtml(reply, 403, barePage('No operator', text));
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

/** The console answers to IP addresses, `localhost` and the host of its URL. */
export class Hosts {
  readonly #url: URL | null;

  constructor(url: string | null) {
    this.#url = url === null ? null : new URL(url);
  }

  isOurs(host: string | undefined): boolean {
    const own = this.#url === null ? null : hostUrl(this.#url.host);
    return isOwnHost(host, own === null ? [] : [own.host]);
  }

  /** Whether a request that changes something comes from a page of the console. */
  isOwnPage({ headers }: FastifyRequest): boolean {
    const { origin, host, 'sec-fetch-site': site } = headers;
    if (site !== undefined && site !== 'same-origin') return false;
    // Browsers send one of both with every form.
    if (origin === undefined) return site === 'same-origin';
    const from = URL.parse(origin);
    const to = hostUrl(host, from?.protocol);
    if (from === null || to === null || from.host !== to.host) return false;
    return this.#url === null || to.host !== this.#url.host || from.origin === this.#url.origin;
  }
}

const MAX_AGE_SECONDS = SESSION_MS / 1_000;
const COOKIE = 'stave-console';

/**
 * Reads and writes the cookie of the session. It has the prefix `__Host-` and `Secure` where browsers keep such cookies:
 * over HTTPS, and on loopback.
 */
export class Cookies {
  readonly #isHttps: boolean;

  /** @param isHttps whether browsers reach the console over HTTPS, perhaps through a proxy */
  constructor({ isHttps }: { isHttps: boolean }) {
    this.#isHttps = isHttps;
  }

  read(request: FastifyRequest): string | undefined {
    return cookieValues(request.headers.cookie, this.#nameFor(request))[0];
  }

  /** Returns the `Set-Cookie` of the response to a request. An empty value removes the cookie. */
  write(request: FastifyRequest, value: string): string {
    const age = value === '' ? 0 : MAX_AGE_SECONDS;
    const secure = this.#isSecure(request) ? '; Secure' : '';
    return `${this.#nameFor(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
  }

  #nameFor(request: FastifyRequest): string {
    return `${this.#isSecure(request) ? '__Host-' : ''}${COOKIE}`;
  }

  #isSecure({ headers }: FastifyRequest): boolean {
    const host = hostNameOf(headers.host);
    return this.#isHttps || (host !== undefined && isLoopback(host));
  }
}

const BASE = 'http://console.invalid';
const MAX_LENGTH = 1_000;

/**
 * Returns the path and query of a page of the console, to which a login leads; `/` for anything else, such as an address
 * of another site.
 */
export function nextPage(given: string | null | undefined): string {
  const url = given == null || given.length > MAX_LENGTH ? null : URL.parse(given, BASE);
  // A browser takes the text after two slashes for a host.
  if (url === null || url.origin !== BASE || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}

/** Returns the address of the login that leads to a page. The options choose what the login explains. */
export function loginPath(next: string, { isUnsaved = false, isUnkept = false } = {}): string {
  const query = new URLSearchParams({
    ...(next !== '/' && { next }),
    ...(isUnsaved && { unsaved: '1' }),
    ...(isUnkept && { unkept: '1' }),
  });
  return query.size === 0 ? '/login' : `/login?${query}`;
}
