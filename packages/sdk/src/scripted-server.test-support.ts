import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { StaveClient } from './client.ts';
import type { StaveOptions } from './options.ts';

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Responds to a request that is not for a token. */
export type Handler = (request: Received, response: ServerResponse) => void | Promise<void>;

export interface ScriptedServer {
  url: string;
  /** All requests so far that were not for a token. */
  received: Received[];
  /** How many tokens were given. They are `token-1`, `token-2`, … */
  tokens: () => number;
  client: (options?: Partial<StaveOptions>) => StaveClient;
}

/** A server whose responses the test writes. It ends with the test. */
export async function scriptedServer(
  handler: Handler,
  { tokenSeconds = 3_600 }: { tokenSeconds?: number } = {},
): Promise<ScriptedServer> {
  const received: Received[] = [];
  let tokens = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url = '', headers } = request;
    if (url === '/v1/auth/token') {
      const access_token = `token-${++tokens}`;
      return send(response, 200, { access_token, expires_in: tokenSeconds });
    }
    const one = { method, url, headers, body };
    received.push(one);
    await handler(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    tokens: () => tokens,
    client: (options) =>
      new StaveClient({ baseUrl: url, clientId: 'id', clientSecret: 'secret', ...options }),
  };
}

/** Sends data in the envelope. */
export function send(
  response: ServerResponse,
  status: number,
  data: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ data, error: { code: 0, message: 'OK' } }));
}

/** Sends an error in the envelope. */
export function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  const docs = `https://api.example.com/docs/errors#${type}`;
  const error = { code: status, type, message: `It is ${type}.`, requestId: 'request-1', docs };
  response.end(JSON.stringify({ data: {}, error }));
}
