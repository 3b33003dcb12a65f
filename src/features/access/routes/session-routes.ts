import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { ALL_SCOPES } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { type FieldProblem, StaveError } from '../../../common/errors.ts';
import { newId } from '../../../common/ids.ts';
import { cookieValues } from '../../../common/text/cookies.ts';
import { refuseOtherOrigin } from '../../../engines/http/guard/own-origin.ts';
import { type ApiRequest, type Route, route } from '../../../engines/http/route/route.ts';
import type { RateLimiter } from '../../../engines/limits/rate-limiter.ts';
import type { RequestCounter } from '../client-requests.ts';
import type { ClientSession } from '../seat.ts';
import {
  isSessionScope,
  SEAT_SESSION_MS,
  SECRET_SESSION_MS,
  SESSION_TOKEN_SECONDS,
} from '../seat.ts';
import { hashSecret, isLinkToken } from '../secret.ts';
import type { ClientSessionStore } from '../store/client-session-store.ts';
import { authenticate, type TokenDependencies, tooManyFailures } from './token-routes.ts';

export interface SessionDependencies extends TokenDependencies {
  store: { clientSessions: ClientSessionStore };
  rateLimiter: Pick<RateLimiter, 'take'>;
  requestCounter?: Pick<RequestCounter, 'used' | 'count'> | undefined;
  clock: Clock;
  /** STAVE_PUBLIC_URL; null if it is not set. */
  ownUrl: string | null;
}

const COOKIE = '__Host-stave';
const COOKIE_BYTES = 32;
const COOKIE_FORM = /^[A-Za-z0-9_-]{43}$/;

const NO_STORE = { 'Cache-Control': 'no-store' };

const ROUTE = {
  tag: 'Authentication',
  access: 'public',
  errors: ['forbidden', 'rate_limited'],
} as const;

/**
 * The routes of the pages of the service, by which browsers sign in, get tokens and sign out
 * (docs/contract/authentication.md#sessions). They refuse requests of other origins.
 */
export function sessionRoutes(deps: SessionDependencies): Route[] {
  return [showSignInLink(deps), createSession(deps), createSessionToken(deps), endSession(deps)];
}

const LinkSchema = Type.Object({ token: Type.String({ maxLength: 100 }) });

/** Says whose link it is, and uses nothing up: programs that preview links open them, too. */
function showSignInLink(deps: SessionDependencies): Route {
  return route({
    ...ROUTE,
    operationId: 'showSignInLink',
    method: 'POST',
    path: '/session/link',
    summary: 'Show whose sign-in link it is',
    description: 'Does not use the link.',
    errors: [...ROUTE.errors, 'not_found'],
    body: LinkSchema,
    data: Type.Object({ seat: Type.String(), client: Type.String() }),
    async handle(request) {
      refuseOtherOrigin(request, deps.ownUrl);
      const { body, address } = request;
      const hash = hashOfLink(body.token);
      const linked = hash && (await deps.store.clientSessions.linkedSeat(hash));
      if (!linked) throw failedLink(deps, address);
      return { data: { seat: linked.name, client: linked.clientName }, headers: NO_STORE };
    },
  });
}

const SignInSchema = Type.Object({
  token: Type.Optional(Type.String({ maxLength: 100 })),
  client_id: Type.Optional(Type.String({ maxLength: 100 })),
  client_secret: Type.Optional(Type.String({ maxLength: 100 })),
});

/** Begins a session with a sign-in link, or with an id and a secret. */
function createSession(deps: SessionDependencies): Route {
  return route({
    ...ROUTE,
    operationId: 'createSession',
    method: 'POST',
    path: '/session',
    summary: 'Sign in',
    description:
      'With the token of a sign-in link, which this uses up, or with an id and a secret.',
    errors: [...ROUTE.errors, 'not_found', 'invalid_client'],
    body: SignInSchema,
    checkBody: signInProblems,
    data: Type.Object({}),
    success: { statuses: [201] },
    async handle(request) {
      refuseOtherOrigin(request, deps.ownUrl);
      const { body, headers, address, note } = request;
      const value = randomBytes(COOKIE_BYTES).toString('base64url');
      const seconds =
        body.token === undefined
          ? await signInWithSecret(deps, body, { value, address, note })
          : await signInWithLink(deps, body.token, { value, address });
      // The cookie of the former session is replaced, so nobody can use that any more.
      await end(deps, cookieIn(headers));
      return { data: {}, headers: { ...NO_STORE, 'Set-Cookie': cookie(value, seconds) } };
    },
  });
}

/** Gives the page of a session a token. */
function createSessionToken(deps: SessionDependencies): Route {
  return route({
    ...ROUTE,
    operationId: 'createSessionToken',
    method: 'POST',
    path: '/session/token',
    summary: 'Get an access token for a session',
    description: 'By the cookie of the session.',
    errors: [...ROUTE.errors, 'invalid_token'],
    data: Type.Object({
      access_token: Type.String(),
      token_type: Type.String(),
      expires_in: Type.Integer(),
      scope: Type.String(),
    }),
    async handle(request) {
      refuseOtherOrigin(request, deps.ownUrl);
      const { headers, note } = request;
      const given = cookieIn(headers);
      const found = await findSession(deps, given);
      if (found === undefined) throw signedOut(given);
      const caller = { clientId: found.client.id, secretId: found.holder.id };
      note(caller);
      await count(deps, caller, found.client.rateLimit);
      const used = await use(deps, found);
      if (used === undefined) throw signedOut(given);
      const { client, session, holder, role, endsAt } = used;
      const seconds = Math.min(
        SESSION_TOKEN_SECONDS,
        Math.ceil((endsAt - deps.clock.now()) / 1000),
      );
      const scopes = ALL_SCOPES.filter(
        (scope) => client.scopes.has(scope) && isSessionScope(scope, role),
      ).sort();
      const token = await deps.issuer.issue({
        ...{ client, secretId: holder.id, mode: holder.mode, scopes, seconds },
        further: { ses: session.id },
      });
      const data = {
        ...{ access_token: token, token_type: 'Bearer', expires_in: seconds },
        scope: scopes.join(' '),
      };
      // The age of the cookie in the browser follows that of the session.
      const renewed = cookie(given!, Math.ceil((endsAt - deps.clock.now()) / 1000));
      return { data, headers: { ...NO_STORE, 'Set-Cookie': renewed } };
    },
  });
}

/** Signs out. Without a session, it does nothing. */
function endSession(deps: SessionDependencies): Route {
  return route({
    ...ROUTE,
    operationId: 'endSession',
    method: 'DELETE',
    path: '/session',
    summary: 'Sign out',
    description: 'Ends the session and its tokens, on every node within a second.',
    data: Type.Object({}),
    async handle(request) {
      refuseOtherOrigin(request, deps.ownUrl);
      await end(deps, cookieIn(request.headers));
      return { data: {}, headers: { ...NO_STORE, 'Set-Cookie': cookie('', 0) } };
    },
  });
}

function signInProblems(body: Partial<Static<typeof SignInSchema>>): FieldProblem[] {
  const { token, client_id: id, client_secret: secret } = body;
  const isLink = token !== undefined && id === undefined && secret === undefined;
  const isSecret = token === undefined && id !== undefined && secret !== undefined;
  if (isLink || isSecret) return [];
  return [{ field: 'token', message: 'send either token, or client_id and client_secret' }];
}

async function signInWithLink(
  deps: SessionDependencies,
  token: string,
  { value, address }: Pick<ApiRequest, 'address'> & { value: string },
): Promise<number> {
  const hash = hashOfLink(token);
  const linked =
    hash && (await deps.store.clientSessions.useLink(hash, made(deps, value, SEAT_SESSION_MS)));
  if (!linked) throw failedLink(deps, address);
  return SEAT_SESSION_MS / 1000;
}

async function signInWithSecret(
  deps: SessionDependencies,
  body: Static<typeof SignInSchema>,
  { value, address, note }: Pick<ApiRequest, 'address' | 'note'> & { value: string },
): Promise<number> {
  const request = { clientId: body.client_id!, secret: body.client_secret!, scope: undefined };
  const { client, secretId } = await authenticate(deps, request, {
    address,
    note,
    challenge: false,
  });
  const holder = { clientId: client.id, secretId };
  note(holder);
  deps.requestCounter?.used(holder);
  const session = made(deps, value, SECRET_SESSION_MS);
  if (!(await deps.store.clientSessions.startOfSecret(holder, session))) {
    throw new StaveError('invalid_client', 'The secret was revoked just now.');
  }
  return SECRET_SESSION_MS / 1000;
}

function made(
  { clock }: SessionDependencies,
  value: string,
  ms: number,
): Omit<ClientSession, 'holderId'> {
  return { id: newId(), hash: hashSecret(value), expiresAt: clock.now() + ms };
}

/** The session of a cookie, and whose it is; undefined if it has ended. Looks in the change log for a new one. */
async function findSession(deps: SessionDependencies, value: string | undefined) {
  if (value === undefined) return undefined;
  const hash = hashSecret(value);
  const known = holderOf(deps, hash);
  if (known !== undefined) return known;
  await deps.catchUp();
  return holderOf(deps, hash);
}

function holderOf({ registry }: SessionDependencies, hash: string) {
  const found = registry.findSession(hash);
  if (found === undefined || !found.client.enabled) return undefined;
  const { client, session } = found;
  const seat = client.seats.get(session.holderId);
  const holder = seat ?? client.liveSecrets.get(session.holderId);
  return holder && { client, session, holder, role: seat?.role };
}

type FoundSession = NonNullable<ReturnType<typeof holderOf>>;

/** Uses a session. Returns it as it is now, with its end; undefined if it has ended. */
async function use(
  deps: SessionDependencies,
  found: FoundSession,
): Promise<(FoundSession & { endsAt: number }) | undefined> {
  const endsAt = await deps.store.clientSessions.use(found.session.id);
  if (endsAt !== undefined) return { ...found, endsAt };
  // A change of the seat may have replaced the id just now.
  await deps.catchUp();
  const present = holderOf(deps, found.session.hash);
  if (present === undefined || present.session.id === found.session.id) return undefined;
  return use(deps, present);
}

async function end(deps: SessionDependencies, value: string | undefined): Promise<void> {
  const found = await findSession(deps, value);
  if (found === undefined) return;
  const { client, session, holder, role } = found;
  const seatId = role === undefined ? undefined : holder.id;
  await deps.store.clientSessions.end(session.hash, { clientId: client.id, seatId });
}

async function count(
  { rateLimiter, requestCounter }: SessionDependencies,
  caller: { clientId: string; secretId: string },
  limit: number,
): Promise<void> {
  const { allowed, resetSeconds } = await rateLimiter.take(caller.clientId, limit);
  requestCounter?.count(caller, allowed);
  if (allowed) return;
  throw new StaveError(
    'rate_limited',
    `The limit of the client is used up; retry in ${resetSeconds} s.`,
    { headers: { 'Retry-After': String(resetSeconds) } },
  );
}

function hashOfLink(token: string): string | undefined {
  return isLinkToken(token) ? hashSecret(token) : undefined;
}

/** The error for every link that cannot be used: unknown, used, ended. */
function failedLink(deps: SessionDependencies, address: ApiRequest['address']): StaveError {
  return (
    tooManyFailures(deps, address, 'sign-in link') ??
    new StaveError(
      'not_found',
      'This link does not work, or no longer: ask for a new one where you got it.',
    )
  );
}

/**
 * The error for a request without a session. Removes a cookie of an ended one. It is not limited by address: a cookie has
 * too many bits to be guessed, and many people behind one address may have an ended one.
 */
function signedOut(given: string | undefined): StaveError {
  return new StaveError('invalid_token', 'This browser is not signed in, or no longer: sign in.', {
    ...(given !== undefined && { headers: { 'Set-Cookie': cookie('', 0) } }),
  });
}

function cookieIn({ cookie: given }: ApiRequest['headers']): string | undefined {
  return cookieValues(String(given ?? ''), COOKIE).find((value) => COOKIE_FORM.test(value));
}

function cookie(value: string, seconds: number): string {
  return `${COOKIE}=${value}; Max-Age=${seconds}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}
