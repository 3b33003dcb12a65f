import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import {
  type AccessToken,
  type AuthorizationServer,
  type Me,
  StaveApiError,
  StaveClient,
  StaveError,
} from '#client';
import type { Clock } from '../common/clock.ts';
import { traceContextOf } from '../common/trace-context.ts';
import { SERVICE_VERSION } from '../common/version.ts';
import { limited } from '../common/work/limited.ts';
import { isWellFormedSecret } from '../features/access/secret.ts';

/** How a client of the API proves who it is. */
export type Credentials =
  | { clientId: string; clientSecret: string }
  | { getAccessToken: () => Promise<AccessToken> };

/** A client of the API, and what it may do. */
export interface Caller {
  client: StaveClient;
  me: Me;
}

/** An agent waits for each result, so that long pauses between repetitions do not help it. */
const PATIENCE = { timeoutMs: 20_000, maxRetries: 2, longestWaitMs: 5_000 };

/** Logs a client in at the service. Rejects with a StaveError if it is refused or the service cannot be reached. */
export async function openCaller(baseUrl: string, credentials: Credentials): Promise<Caller> {
  const client = new StaveClient({ baseUrl, ...PATIENCE, ...credentials, fetch: namedFetch });
  return { client, me: await client.readMe() };
}

/** The headers of the trace to which the present calls belong. */
const traceHeaders = new AsyncLocalStorage<Record<string, string>>();

/** Runs work for a request. The calls of the service that it causes belong to the trace of the request. */
export function inTraceOf<Result>(headers: IncomingHttpHeaders, work: () => Result): Result {
  const place = traceContextOf(headers);
  if (place === undefined) return work();
  const passedOn = {
    traceparent: String(headers.traceparent),
    ...(place.state !== undefined && { tracestate: place.state }),
  };
  return traceHeaders.run(passedOn, work);
}

/** Names the program to the service, for its log, and the trace. */
const namedFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('user-agent', `stave-mcp/${SERVICE_VERSION}`);
  for (const [name, value] of Object.entries(traceHeaders.getStore() ?? {}))
    headers.set(name, value);
  return fetch(input, { ...init, headers });
};

/** The greatest numbers of accepted and of refused credentials in memory. The least recently used are forgotten. */
const MAX_CALLERS = 100;
const MAX_REFUSALS = 1_000;
/**
 * How long scopes are used, and refused credentials are refused again without a call to the service, in milliseconds.
 * The service checks tokens and scopes at each call anyway.
 */
const MEMORY_MS = 60_000;

/** The logins that run at one time. Some others wait, at most this long, in milliseconds. */
const LOGINS_AT_ONCE = 2;
const MAX_WAITING = 50;
const LOGIN_WAIT_MS = 10_000;
/** The length of the longest access token. Those of Stave have some 600 characters. */
const MAX_TOKEN_LENGTH = 2_048;

export class TooManyLogins extends StaveError {}

/** A header `Authorization` that is missing, or has nothing that the service could check. */
export class UnreadableCredentials extends StaveError {}

/** A caller whose credentials the service has accepted. */
interface Known {
  caller: Caller;
  /** Until when it is used without a call to the service. */
  untilMs: number;
}

/**
 * The callers by their `Authorization` header, of which only a hash is kept. Unknown credentials never displace those
 * that the service has accepted.
 */
export class HttpCallers {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, Known>({ max: MAX_CALLERS });
  readonly #refused = new LRUCache<string, StaveApiError>({ max: MAX_REFUSALS, ttl: MEMORY_MS });
  /** The calls to the service that are under way, by the same hash. */
  readonly #opening = new Map<string, Promise<Caller>>();
  readonly #metadata = new LRUCache<'', AuthorizationServer>({
    max: 1,
    ttl: MEMORY_MS,
    fetchMethod: () => this.#client(NO_TOKEN).readOAuthMetadata(),
  });
  readonly #login = limited(LOGINS_AT_ONCE, {
    ms: LOGIN_WAIT_MS,
    most: MAX_WAITING,
    tooLong: () => new TooManyLogins('Too many logins wait; try again in a moment.'),
  });

  /** @param url the address of the service */
  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
  }

  /**
   * Returns the caller of a request. Rejects with UnreadableCredentials, or another StaveError if the service refuses them
   * or cannot be reached.
   */
  async of(authorization = ''): Promise<Caller> {
    const credentials = credentialsIn(authorization);
    const key = createHash('sha256').update(authorization).digest('base64');
    const known = this.#known.get(key);
    if (known !== undefined && this.#clock.now() < known.untilMs) return known.caller;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw refusal;
    const opening = this.#opening.get(key) ?? this.#open(key, credentials, known?.caller);
    this.#opening.set(key, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(key) === opening) this.#opening.delete(key);
    }
  }

  /**
   * Returns where the service gives tokens (RFC 8414), as it told within the last minute. Rejects with a StaveError if
   * it cannot be reached.
   */
  async oauthMetadata(): Promise<AuthorizationServer> {
    return (await this.#metadata.fetch(''))!;
  }

  /** Logs a caller in, or reads its scopes anew with the token that it has. */
  async #open(key: string, credentials: Credentials, before: Caller | undefined): Promise<Caller> {
    try {
      const caller =
        before === undefined
          ? await this.#login(() => openCaller(this.#url, this.#once(credentials)))
          : { client: before.client, me: await before.client.readMe() };
      // Programs get a new token if the endpoint refuses the request, but not if a tool fails.
      const endMs = Date.parse(caller.me.tokenExpiresAt);
      this.#known.set(key, { caller, untilMs: Math.min(this.#clock.now() + MEMORY_MS, endMs) });
      return caller;
    } catch (error) {
      if (error instanceof StaveApiError && error.status === 401) {
        this.#known.delete(key);
        this.#refused.set(key, error);
      } else if (before === undefined && error instanceof StaveApiError && error.status === 429) {
        // The service checks no further secrets of this client, or of all callers, before this time.
        const ttl = Math.min((error.retryAfterSeconds ?? 1) * 1_000, MEMORY_MS);
        this.#refused.set(key, error, { ttl: Math.max(ttl, 1) });
      }
      throw error;
    }
  }

  /** Lets a client log in without repetitions, which would keep other logins waiting. */
  #once(credentials: Credentials): Credentials {
    if ('getAccessToken' in credentials) return credentials;
    const { clientId: client_id, clientSecret: client_secret } = credentials;
    const login = this.#client(credentials);
    const grant_type = 'client_credentials';
    return {
      getAccessToken: () => login.createToken({ grant_type, client_id, client_secret }),
    };
  }

  /** A client that repeats no request. */
  #client(credentials: Credentials): StaveClient {
    return new StaveClient({
      ...credentials,
      baseUrl: this.#url,
      maxRetries: 0,
      fetch: namedFetch,
    });
  }
}

/** For requests that need no token. */
const NO_TOKEN: Credentials = { getAccessToken: () => Promise.reject(new StaveError('No token')) };

/**
 * Reads HTTP Basic of a client id and its secret (RFC 7617), or an access token (RFC 6750). Throws UnreadableCredentials if
 * their form is not valid.
 */
function credentialsIn(authorization: string): Credentials {
  const [, scheme = '', value = ''] =
    /^(basic|bearer)(?: +(.*))?$/i.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') {
    if (value.length > MAX_TOKEN_LENGTH || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) {
      throw new UnreadableCredentials('What follows Bearer is not an access token of Stave');
    }
    const token = { access_token: value, token_type: 'Bearer', expires_in: 3_600 } as const;
    return { getAccessToken: async () => ({ ...token, scope: '', mode: 'test' }) };
  }
  if (scheme === '') {
    const fault = authorization === '' ? 'is missing; send' : 'must be';
    throw new UnreadableCredentials(
      `Authorization ${fault} Basic with a client id and secret, or Bearer with an access token`,
    );
  }
  const [, clientId, clientSecret] =
    /^([\da-f-]{36}):(.*)$/is.exec(Buffer.from(value, 'base64').toString('latin1')) ?? [];
  if (clientId === undefined || clientSecret === undefined) {
    throw new UnreadableCredentials(
      'What follows Basic is not a client id, a colon and a secret in Base64',
    );
  }
  if (!isWellFormedSecret(clientSecret)) {
    throw new UnreadableCredentials('The client secret is not complete, or has a wrong character');
  }
  return { clientId, clientSecret };
}
