import { createAuthenticate } from '../../src/engines/http/guard/authorize.ts';
import { MemoryRateLimiter } from '../../src/engines/limits/memory-rate-limiter.ts';
import {
  meRoute,
  oauthMetadataRoute,
  oauthTokenRoute,
  tokenRoute,
} from '../../src/features/access/routes/token-routes.ts';
import { type Access, openAccess } from './access.ts';
import { listenWith } from './http-server.ts';

/** The token endpoints and `/v1/me` on a real socket, with everything that `openAccess` gives. */
export type AccessServer = Awaited<ReturnType<typeof listen>>;

export async function listen() {
  const access: Access = await openAccess();
  let base = '';
  const server = await listenWith({
    routes: [
      tokenRoute(access),
      oauthTokenRoute(access),
      oauthMetadataRoute({ publicUrl: () => base }),
      meRoute(),
    ],
    authenticate: createAuthenticate((token) => access.verifier.verify(token)),
    rateLimiter: new MemoryRateLimiter(access),
    clock: access.clock,
    trustProxy: ['127.0.0.1'],
  });
  base = server.base;
  return {
    ...access,
    base,
    /** All log lines of every level, as text. */
    logged: () =>
      server.lines
        .map(({ fields, message }) => `${message} ${JSON.stringify(fields, errorsInFull)}`)
        .join('\n'),
    forgetLog() {
      server.lines.length = 0;
    },
    /** POST /v1/auth/token with a JSON body. */
    token(body: object, headers: Record<string, string> = {}) {
      return fetch(`${base}/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    },
    /** POST /v1/auth/token with a form. */
    tokenByForm(body: Record<string, string>, headers: Record<string, string> = {}) {
      return fetch(`${base}/v1/auth/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(body),
      });
    },
    /** GET /v1/me with that token. */
    me(token: string) {
      return fetch(`${base}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    },
    async close() {
      await server.app.close();
      await access.close();
    },
  };
}

function errorsInFull(_key: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;
}
