import type { Caller } from '../../src/common/caller.ts';
import { StaveError } from '../../src/common/errors.ts';
import type { HttpServer, ServerOptions } from '../../src/engines/http/server.ts';
import type { RateLimiter } from '../../src/engines/limits/rate-limiter.ts';
import { fixtureRoutes } from './fixture-routes.ts';
import { type ListeningServer, listenWith, serving } from './http-server.ts';

/** A valid token, and one whose client has no scopes and no features. */
export const TOKEN = 'good-token';
export const BARE_TOKEN = 'bare-token';

const CALLER: Caller = {
  clientId: 'client-1',
  name: 'Fixture',
  secretId: 'secret-1',
  seat: null,
  browser: null,
  mode: 'test',
  scopes: new Set(['tracks', 'search']),
  features: new Set(['usage']),
  rateLimit: 600,
  account: null,
  tokenExpiresAt: 0,
};

export interface Fixture extends ListeningServer {
  /** The number of calls of the limiter. */
  taken(): number;
  /** Completes the requests to /v1/slow. */
  release(): void;
  /** The number of requests that wait in /v1/slow. */
  waiting(): number;
}

/** A server on its own port, whose routes need no storage. */
export async function startFixture({
  limit = 1_000_000,
  ...options
}: Partial<ServerOptions> & {
  limit?: number;
  prepare?(app: HttpServer): void;
} = {}): Promise<Fixture> {
  const readiness = options.readiness ?? serving();
  let taken = 0;
  const rateLimiter: RateLimiter = {
    take: () => {
      taken++;
      return {
        allowed: taken <= limit,
        limit,
        remaining: Math.max(0, limit - taken),
        resetSeconds: 42,
      };
    },
  };
  const slow: (() => void)[] = [];
  const server = await listenWith({
    routes: fixtureRoutes((resume) => slow.push(resume), readiness),
    authenticate,
    rateLimiter,
    ...options,
    readiness,
  });
  return {
    ...server,
    taken: () => taken,
    waiting: () => slow.length,
    release: () => {
      for (const resume of slow.splice(0)) {
        resume();
      }
    },
  };
}

export function authenticate(authorization: string | undefined): Caller {
  switch (authorization) {
    case undefined:
      throw new StaveError('invalid_token', 'No token was sent.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="stave"' },
      });
    case `Bearer ${TOKEN}`:
      return CALLER;
    case `Bearer ${BARE_TOKEN}`:
      return { ...CALLER, scopes: new Set(), features: new Set() };
    default:
      throw new StaveError('invalid_token', 'The token is not good.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="stave", error="invalid_token"' },
      });
  }
}
