import { type AccessToken, type Me, StaveClient } from '#client';
import { SERVICE_VERSION } from '../common/version.ts';

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

/** Names the program to the service, for its log. */
export const namedFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('user-agent', `stave-mcp/${SERVICE_VERSION}`);
  return fetch(input, { ...init, headers });
};
