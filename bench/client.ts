import { randomUUID } from 'node:crypto';
import { stave } from './processes.ts';

/** The credentials of a client of the benchmark. */
export interface BenchClient {
  clientId: string;
  liveSecret: string;
}

/**
 * Creates a client that may list and search, with the highest possible rate limit.
 * @param features its contract features, separated by commas
 * @param scopes its scopes, separated by commas
 * @param checkout the program that creates it; by default this one
 */
export async function createBenchClient(
  settings: Record<string, string>,
  features = 'none',
  scopes = 'tracks,search',
  checkout?: string,
): Promise<BenchClient> {
  const terms = ['--scopes', scopes, '--features', features, '--rate-limit', '1000000'];
  const command = ['clients', 'create', '--name', `Bench ${randomUUID()}`, ...terms];
  return (await stave(command, settings, checkout)).result as BenchClient;
}

/** The number of clients that send requests in turn, wherever there is more than one. */
export const CLIENTS = 50;

/** Creates CLIENTS clients, one after the other. */
export async function createBenchClients(
  settings: Record<string, string>,
  { features, scopes, checkout }: { features?: string; scopes?: string; checkout?: string } = {},
): Promise<BenchClient[]> {
  const clients: BenchClient[] = [];
  while (clients.length < CLIENTS) {
    clients.push(await createBenchClient(settings, features, scopes, checkout));
  }
  return clients;
}

/** The `Authorization` headers with tokens of the clients. */
export async function tokensFor(port: number, clients: readonly BenchClient[]): Promise<string[]> {
  const tokens: string[] = [];
  for (const client of clients) tokens.push(await tokenFor(port, client));
  return tokens;
}

/** The `Authorization` header with a token of the client that is valid for an hour. */
export async function tokenFor(port: number, client: BenchClient): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.liveSecret,
    }),
  });
  const { data } = (await response.json()) as { data: { access_token: string } };
  return `Bearer ${data.access_token}`;
}
