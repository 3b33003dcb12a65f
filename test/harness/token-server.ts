import { afterEach, beforeEach, expect } from 'vitest';
import { type AccessServer, listen } from './access-server.ts';

/** The server and the client that `useTokenServer` has created for the current test. */
export let server: AccessServer;
export let clientId: string;
export let testSecret: string;
export let liveSecret: string;

/** Starts a server with one client, of the scopes `tracks` and `search`, before each test. */
export function useTokenServer(): void {
  beforeEach(async () => {
    server = await listen();
    const client = await server.newClient({ scopes: ['tracks', 'search'] });
    ({ clientId, testSecret, liveSecret } = client);
  });
  afterEach(() => server.close());
}

export const grant = { grant_type: 'client_credentials' };

/** Returns the members of a token request of the client. */
export const credentials = (more: object = {}) => ({
  ...grant,
  client_id: clientId,
  client_secret: testSecret,
  ...more,
});

/** Returns the header of HTTP Basic for the credentials. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

export async function bodyOf(response: Response) {
  return (await response.json()) as {
    data: Record<string, unknown>;
    error: { code: number; type?: string; message: string; details?: { field: string }[] };
    [member: string]: unknown;
  };
}

/** Returns every part of a response that could distinguish one refusal from another. */
export async function seen(response: Response) {
  const { error, ...rest } = await bodyOf(response);
  const { requestId, ...shown } = error as typeof error & { requestId: string };
  expect(requestId).toBeTruthy();
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id'].includes(name),
  );
  return { status: response.status, headers, shown, rest };
}
