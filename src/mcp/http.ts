import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type AuthInfo,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  oauthMetadataResponse,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { StaveApiError, StaveError } from '#client';
import type { Clock } from '../common/clock.ts';
import { readAtMost } from '../common/files.ts';
import {
  createGuardedServer,
  markAuthenticated,
} from '../engines/http/connection/guarded-server.ts';
import {
  type Caller,
  HttpCallers,
  inTraceOf,
  TooManyLogins,
  UnreadableCredentials,
} from './callers.ts';
import { makeServer } from './server.ts';

const PATH = '/mcp';
/** More than any call of a tool needs. */
const MAX_BODY_LENGTH = 256 * 1024;
/** All callers have addresses of this machine, so none has a limit of its own. */
const MAX_CONNECTIONS = { inAll: 100, ofAddress: 100 };
/** The open requests of one client: more than an agent has, and few enough for others. */
const MAX_OPEN_OF_CLIENT = 20;
const REQUEST_MS = 15_000;
/** A call of the service takes at most 70 s with its repetitions. A call that is cancelled may never end by itself. */
const CALL_MS = 90_000;

/** What is wrong with a request, in the words of its response. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Serves MCP clients over streamable HTTP, without anything that outlasts a request. Each request has the credentials of
 * a client of the API, and acts with these alone.
 *
 * @param url the address of the service
 * @param publicUrl the address of the endpoint on a proxy; undefined: its clients are on this machine
 */
export async function serveHttp({
  url,
  port,
  publicUrl,
  clock,
}: {
  url: string;
  port: number;
  publicUrl: string | undefined;
  clock: Clock;
}) {
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const callers = new HttpCallers(url, clock);
  const handler = createMcpHandler(
    ({ authInfo }) => makeServer(authInfo!.extra!.caller as Caller),
    {
      maxRequestBodySize: MAX_BODY_LENGTH,
      maxSubscriptions: 0,
    },
  );
  const calls = new OpenCalls();
  const openOfClient = new Map<string, number>();
  const countOpen = (clientId: string, by: 1 | -1) => {
    const count = (openOfClient.get(clientId) ?? 0) + by;
    if (count > MAX_OPEN_OF_CLIENT) {
      const message = `At most ${MAX_OPEN_OF_CLIENT} requests of one client may be open`;
      throw new Refusal(429, message, { 'retry-after': '1' });
    }
    if (count === 0) openOfClient.delete(clientId);
    else openOfClient.set(clientId, count);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const ending = new AbortController();
    const deadline = setTimeout(() => response.destroy(), CALL_MS);
    // The handler may never respond to a call that is cancelled, so all of this ends with the response.
    const whenClosed = new DisposableStack();
    whenClosed.defer(() => ending.abort());
    whenClosed.defer(() => clearTimeout(deadline));
    response.once('close', () => whenClosed.dispose());
    try {
      checkHead(request, publicHosts);
      // The name that the client has called: clients refuse the metadata of an address with another name.
      const { origin } = new URL(`http://${request.headers.host}`);
      const endpoint = new URL(publicUrl ?? `${origin}${PATH}`);
      if (request.url!.startsWith('/.well-known/')) {
        // Its body is not read.
        response.shouldKeepAlive = false;
        const asked = webRequest(request, Buffer.alloc(0), ending.signal);
        await send(await metadata(callers, asked, endpoint), undefined, response);
        return;
      }
      checkPath(request);
      const caller = await callerOfRequest(callers, request, endpoint);
      if (whenClosed.disposed) return;
      const { clientId } = caller.me;
      countOpen(clientId, 1);
      whenClosed.defer(() => countOpen(clientId, -1));
      markAuthenticated(request);
      const body = await readAtMost(request, MAX_BODY_LENGTH);
      if (body === undefined) throw tooLarge();
      if (whenClosed.disposed) return;
      const messages = messagesIn(body);
      if (messages.length > MAX_MESSAGES) {
        throw new Refusal(413, `The body may have at most ${MAX_MESSAGES} messages`);
      }
      const session = request.headers[SESSION_HEADER];
      if (session !== undefined) {
        whenClosed.defer(calls.begin(`${clientId} ${session}`, messages, ending));
      }
      const asked = webRequest(request, body, ending.signal);
      const answered = await inTraceOf(request.headers, () =>
        handler.fetch(asked, { authInfo: authInfoOf(caller) }),
      );
      await send(answered, newSession(messages), response);
    } catch (error) {
      refuse(response, error);
    }
  };
  const server = createGuardedServer({
    tls: null,
    maxConnections: MAX_CONNECTIONS,
    timeouts: { requestMs: REQUEST_MS },
    refusal: ({ message }) => ({
      headers: { 'Content-Type': 'application/json' },
      body: errorBody(message),
    }),
    onRequest: answer,
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Refuses what a page of another site could send: its name may resolve to this machine (DNS rebinding). */
function checkHead({ method, headers }: IncomingMessage, publicHosts: string[]): void {
  // Requests of this method cannot be made for the handler.
  if (method === 'TRACE') throw new Refusal(405, 'The method is POST', { allow: 'POST' });
  const host = validateHostHeader(headers.host, [...localhostAllowedHostnames(), ...publicHosts]);
  if (!host.ok) throw new Refusal(403, host.message);
  const origin = validateOriginHeader(headers.origin, [
    ...localhostAllowedOrigins(),
    ...publicHosts,
  ]);
  if (!origin.ok) throw new Refusal(403, origin.message);
}

function checkPath({ headers, url = '' }: IncomingMessage): void {
  if (url.split('?')[0] !== PATH) throw new Refusal(404, `The path is ${PATH}`);
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_LENGTH) throw tooLarge();
}

/**
 * Responds to a request for metadata: where tokens for this endpoint come from (RFC 9728), and for older clients, which
 * look here, also that of the service (RFC 8414).
 */
async function metadata(callers: HttpCallers, asked: Request, endpoint: URL): Promise<Response> {
  const answer = oauthMetadataResponse(asked, {
    oauthMetadata: { ...(await callers.oauthMetadata()) },
    resourceServerUrl: endpoint,
    // Whoever operates the service has decided this. Without scopes, a client requests all that it has.
    dangerouslyAllowInsecureIssuerUrl: true,
  });
  if (answer === undefined) throw new Refusal(404, `The path is ${PATH}`);
  return answer;
}

async function callerOfRequest(
  callers: HttpCallers,
  { headers }: IncomingMessage,
  endpoint: URL,
): Promise<Caller> {
  // RFC 6750 §3.1: without credentials, or with those of another scheme, the challenge has no error code.
  const wereSent = /^(?:basic|bearer)(?: |$)/i.test(headers.authorization ?? '');
  const code = wereSent ? ', error="invalid_token"' : '';
  // Clients with OAuth read the first scheme only.
  const challenge = {
    'www-authenticate': `Bearer realm="stave"${code}, resource_metadata="${getOAuthProtectedResourceMetadataUrl(endpoint)}", Basic realm="stave"`,
  };
  try {
    return await callers.of(headers.authorization);
  } catch (error) {
    if (error instanceof UnreadableCredentials) throw new Refusal(401, error.message, challenge);
    if (error instanceof StaveApiError && error.status === 401) {
      throw new Refusal(401, `${error.type}: ${error.message}`, challenge);
    }
    if (error instanceof StaveApiError && error.status === 429) {
      const wait = String(Math.ceil(error.retryAfterSeconds ?? 1));
      throw new Refusal(429, `${error.type}: ${error.message}`, { 'retry-after': wait });
    }
    if (error instanceof TooManyLogins) {
      throw new Refusal(503, error.message, { 'retry-after': '1' });
    }
    throw error;
  }
}

/** The SDK passes this on to `makeServer`. Only the client needs the token. */
function authInfoOf(caller: Caller): AuthInfo {
  const { clientId, scopes } = caller.me;
  return { token: '', clientId, scopes, extra: { caller } };
}

function webRequest(
  { method = 'GET', headers, url }: IncomingMessage,
  body: Buffer<ArrayBuffer>,
  signal: AbortSignal,
): Request {
  // The credentials have done their work, and tools must not see them.
  const { authorization, ...others } = headers;
  const pairs = Object.entries(others).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const init = { method, headers: pairs, signal };
  const withBody = method === 'GET' || method === 'HEAD' ? init : { ...init, body };
  return new Request(`http://127.0.0.1${url}`, withBody);
}

async function send(
  answer: Response,
  session: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, {
    ...headers,
    ...(session !== undefined && answer.ok && { [SESSION_HEADER]: session }),
  });
  if (answer.body === null) {
    response.end();
    return;
  }
  await pipeline(Readable.fromWeb(answer.body), response);
}

function tooLarge(): Refusal {
  return new Refusal(413, `The body may have at most ${MAX_BODY_LENGTH} bytes`);
}

/** Sends an error in the form of JSON-RPC, and closes the connection, whose body may not be read. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = refusalOf(error);
  response.writeHead(known.status, {
    ...known.headers,
    'content-type': 'application/json',
    connection: 'close',
  });
  response.end(errorBody(known.message));
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof StaveError)) return new Refusal(500, 'Internal error');
  return new Refusal(502, `The service does not answer: ${error.message}`);
}

function errorBody(message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
}

/** The header that names a session in the older revision of the protocol. */
const SESSION_HEADER = 'mcp-session-id';
/** More than any client sends at once. Each message of a body is a call of its own. */
const MAX_MESSAGES = 20;

/** The members of a JSON-RPC message that count here; strangers write them. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown } | null;
}

/** Returns the messages of a body; none if it is not JSON, which the handler of the protocol reports. */
function messagesIn(body: Buffer): Message[] {
  try {
    const content: unknown = JSON.parse(body.toString());
    const messages = Array.isArray(content) ? content : [content];
    return messages.filter((one) => typeof one === 'object' && one !== null);
  } catch {
    return [];
  }
}

/** Returns the id of a new session if the client asks for one, in the older revision. Nothing is stored under it. */
function newSession(messages: readonly Message[]): string | undefined {
  return messages.some(({ method }) => method === 'initialize') ? randomUUID() : undefined;
}

/**
 * The calls over HTTP that are under way. The older revision of the protocol cancels a call by a message of its own,
 * with the id of the call. Clients count these ids from 0, so only the session distinguishes the calls of two clients.
 */
class OpenCalls {
  readonly #calls = new Map<string, AbortController>();

  /**
   * Adds the calls of one request, until the returned function is called, and cancels the calls that the request cancels.
   *
   * @param scope what the calls of one client have in common
   */
  begin(scope: string, messages: readonly Message[], controller: AbortController): () => void {
    const keyOf = (id: string | number) => JSON.stringify([scope, id]);
    const keys: string[] = [];
    for (const { id, method, params } of messages) {
      const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
      if (isId(cancelled)) this.#calls.get(keyOf(cancelled))?.abort();
      if (!isId(id)) continue;
      keys.push(keyOf(id));
      this.#calls.set(keys.at(-1)!, controller);
    }
    return () => {
      for (const key of keys) {
        if (this.#calls.get(key) === controller) this.#calls.delete(key);
      }
    };
  }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
