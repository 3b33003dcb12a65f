import type { Caller } from '../../src/common/caller.ts';
import { ALL_SCOPES, FEATURES, type Feature, type Mode } from '../../src/common/caller.ts';
import { buildOpenApi } from '../../src/docs-site/openapi/openapi.ts';
import type { Route } from '../../src/engines/http/route/route.ts';
import type { ServerOptions } from '../../src/engines/http/server.ts';
import { Call, type CallOptions, type CheckedResponse } from './call.ts';
import { type Contract, contractOf } from './contract.ts';
import { HttpCaller } from './http.ts';
import { type ListeningServer, listenWith } from './http-server.ts';

/** The HTTP server with the routes of a test, and a caller that compares responses with their OpenAPI document. */
export interface FeatureServer extends ListeningServer {
  http: HttpCaller;
  contract: Contract;
  call(operationId: string, options?: CallOptions): Promise<CheckedResponse>;
  close(): Promise<void>;
}

/** Starts a server without storage. Its tokens have the form `client:mode:features`, as `tokenOf` makes them. */
export async function startFeatureServer(
  routes: readonly Route[],
  options: Partial<ServerOptions> = {},
): Promise<FeatureServer> {
  const server = await listenWith({
    routes,
    authenticate: (authorization) => callerOf(authorization!.slice('Bearer '.length)),
    rateLimiter: {
      take: (_key, limit) => ({ allowed: true, limit, remaining: limit - 1, resetSeconds: 60 }),
    },
    ...options,
  });
  const http = new HttpCaller(server.base);
  const document = buildOpenApi(routes, { version: '1.2.3', serverUrl: server.base });
  const contract = contractOf(JSON.stringify(document), server.base);
  const call = new Call({ http, contract });
  return {
    ...server,
    http,
    contract,
    call: (operationId, given) => call.perform(operationId, { token: tokenOf(), ...given }),
    close: async () => {
      http.close();
      await server.app.close();
    },
  };
}

/** Returns a token of a client with all scopes, and by default with all features. */
export function tokenOf({
  client = 'one',
  mode = 'test',
  features = FEATURES,
}: {
  client?: string;
  mode?: Mode;
  features?: readonly string[];
} = {}): string {
  return [client, mode, features.join(',')].join(':');
}

/** Returns the caller of a token that `tokenOf` made. */
export function callerOf(token: string): Caller {
  const [clientId, mode, features] = token.split(':') as [string, Mode, string];
  return {
    clientId,
    name: clientId,
    secretId: 'secret',
    seat: null,
    browser: null,
    mode,
    scopes: new Set(ALL_SCOPES),
    features: new Set(features.split(',') as Feature[]),
    rateLimit: 600,
    account: null,
    tokenExpiresAt: 0,
  };
}
