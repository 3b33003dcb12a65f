import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { type Clock, DAY_MS } from '../../common/clock.ts';
import { httpDate } from '../../common/time.ts';
import {
  addressesOf,
  arePublic,
  parseEndpointUrl,
  type Resolver,
  type Targets,
} from './endpoint-url.ts';

/** Why an attempt failed without a complete response. */
export type DeliveryError =
  | 'invalid_url'
  | 'name_not_resolved'
  | 'address_not_public'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_response'
  | 'interrupted';

export interface DeliveryAttempt {
  /** Whether the status is 2xx and the response was read. */
  delivered: boolean;
  /** The status of the response, which may have failed later; null without one. */
  httpStatus: number | null;
  error: DeliveryError | null;
  /** The first 1 KiB of the body, as text without U+0000. */
  response: string;
  durationMs: number;
  /** What `Retry-After` of a 429, 502, 503 or 504 says, in milliseconds, at most a day; null if it says nothing. */
  retryAfterMs: number | null;
}

/** What to send. The headers get `Content-Length`, `Host` and `Connection`. */
export interface OutgoingMessage {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

interface Options {
  targets: Targets;
  resolver: Resolver;
  clock: Clock;
  /** The most time to resolve the name and connect. Default: 5,000. */
  connectMs?: number;
  /** The most time of the whole attempt. Default: 20,000. */
  answerMs?: number;
}

/** A response of which at least the status was read. */
interface Answer {
  status: number;
  retryAfter: string | undefined;
  chunks: Buffer[];
}

const MAX_READ = 16 * 1024;
const KEPT = 1024;
const MAX_HEADERS = 16 * 1024;
const RETRY_STATUSES = [429, 502, 503, 504];
/** The responses with 1xx that may precede the response. Node limits neither their number nor their size together. */
const MAX_PRECEDING = 10;

/** No environment variable applies to agents of our own, and no connection or TLS session is used again. */
const AGENT_OPTIONS = { keepAlive: false, maxCachedSessions: 0, autoSelectFamily: false };
const httpAgent = new HttpAgent(AGENT_OPTIONS);
const httpsAgent = new HttpsAgent(AGENT_OPTIONS);

class Fault extends Error {
  readonly reason: DeliveryError;

  constructor(reason: DeliveryError) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Sends requests to URLs that partners chose. With the targets `public`, a connection is made only to an address that
 * was just checked, whatever the name resolves to at another time. Redirects are not followed.
 */
export class Deliverer {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Makes one attempt. Takes 20 seconds at most and reads 16 KiB of the body at most. Never rejects.
   * @param signal ends the attempt as `interrupted`
   */
  async deliver(message: OutgoingMessage, signal?: AbortSignal): Promise<DeliveryAttempt> {
    const started = performance.now();
    const answer: Answer = { status: 0, retryAfter: undefined, chunks: [] };
    const error = await this.#attempt(message, answer, signal).then(
      () => null,
      (fault: unknown) => reasonOf(fault),
    );
    const { status, retryAfter, chunks } = answer;
    return {
      delivered: error === null && status >= 200 && status < 300,
      httpStatus: status === 0 ? null : status,
      error,
      response: textOf(chunks),
      durationMs: Math.round(performance.now() - started),
      retryAfterMs: RETRY_STATUSES.includes(status)
        ? retryAfterMs(retryAfter, this.#options.clock.now())
        : null,
    };
  }

  async #attempt(message: OutgoingMessage, answer: Answer, signal?: AbortSignal): Promise<void> {
    const { connectMs = 5_000, answerMs = 20_000 } = this.#options;
    const ending = new AbortController();
    const end = (reason: DeliveryError) => ending.abort(new Fault(reason));
    const interrupt = () => end('interrupted');
    const connecting = setTimeout(end, connectMs, 'timeout');
    const answering = setTimeout(end, answerMs, 'timeout');
    signal?.addEventListener('abort', interrupt);
    if (signal?.aborted) interrupt();
    try {
      const url = parseEndpointUrl(message.url, this.#options.targets);
      if (typeof url === 'string') throw new Fault('invalid_url');
      const addresses = await orAborted(this.#checkedAddresses(url), ending.signal);
      await tryInTurn(addresses, (address, onConnected) => {
        const connected = () => {
          clearTimeout(connecting);
          onConnected();
        };
        return exchange(url, message, { address, signal: ending.signal, connected, answer });
      });
    } finally {
      clearTimeout(connecting);
      clearTimeout(answering);
      signal?.removeEventListener('abort', interrupt);
    }
  }

  /** The first address of each family. Throws Fault if there is none, or if not all addresses of the host are public. */
  async #checkedAddresses(url: URL): Promise<string[]> {
    const { targets, resolver } = this.#options;
    const addresses = await addressesOf(url, resolver);
    if (addresses.length === 0) throw new Fault('name_not_resolved');
    if (targets === 'public' && !arePublic(addresses)) throw new Fault('address_not_public');
    const first = [addresses.find((one) => !isIPv6(one)), addresses.find(isIPv6)];
    return first.filter((address) => address !== undefined);
  }
}

/** Uses the next address only if no connection to the one before it was made: nothing has been sent then. */
async function tryInTurn(
  addresses: readonly string[],
  attempt: (address: string, onConnected: () => void) => Promise<void>,
): Promise<void> {
  let isConnected = false;
  for (const [i, address] of addresses.entries()) {
    try {
      return await attempt(address, () => {
        isConnected = true;
      });
    } catch (error) {
      if (isConnected || error instanceof Fault || i === addresses.length - 1) throw error;
    }
  }
}

/** Sends the message to the address and reads the response into `answer`. */
function exchange(
  url: URL,
  { headers, body }: OutgoingMessage,
  context: { address: string; signal: AbortSignal; connected: () => void; answer: Answer },
): Promise<void> {
  const { address, signal, connected, answer } = context;
  const isTls = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: isTls ? httpsAgent : httpAgent,
      headers: { ...headers },
      lookup: pinnedTo(address),
      ...(isTls && servernameOf(url)),
      maxHeaderSize: MAX_HEADERS,
      insecureHTTPParser: false,
      signal,
    });
    request.once('socket', (socket) => {
      socket.once(isTls ? 'secureConnect' : 'connect', connected);
    });
    let preceding = 0;
    request.on('information', () => {
      if (++preceding > MAX_PRECEDING) request.destroy(new Fault('invalid_response'));
    });
    request.once('response', (response) => {
      readInto(answer, response, () => {
        resolve();
        request.destroy();
      });
      response.once('error', reject);
    });
    request.once('error', (error) => reject(signal.aborted ? signal.reason : error));
    // Other ends, such as an upgrade, emit no error.
    request.once('close', () => reject(new Fault('invalid_response')));
    request.end(body);
  });
}

function readInto(answer: Answer, response: IncomingMessage, done: () => void): void {
  answer.status = response.statusCode!;
  answer.retryAfter = response.headers['retry-after'];
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    if (read < KEPT) answer.chunks.push(chunk.subarray(0, KEPT - read));
    read += chunk.length;
    if (read >= MAX_READ) done();
  });
  response.once('end', done);
}

/** TLS names a host without the dot at the end of a name (RFC 6066), which Node would send. Addresses are not named. */
function servernameOf({ hostname }: URL): { servername: string } | undefined {
  return hostname.endsWith('.') ? { servername: hostname.slice(0, -1) } : undefined;
}

/** Node does not call it for a host that is an address; `address` is this address then. */
function pinnedTo(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_name, options, callback) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject);
  });
}

function reasonOf(error: unknown): DeliveryError {
  if (error instanceof Fault) return error.reason;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_')) return 'invalid_response';
  // TLS reports a peer that speaks something else as EPROTO of a system call.
  const isOfSocket = code === 'ECONNRESET' || (syscall !== undefined && code !== 'EPROTO');
  return isOfSocket ? 'connection_failed' : 'tls_failed';
}

/** A character that the cut divides is omitted. PostgreSQL stores no U+0000. */
function textOf(chunks: readonly Buffer[]): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks), {
    stream: true,
  });
  return text.replaceAll('\0', '\uFFFD');
}

function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : (httpDate(text) ?? Number.NaN) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), DAY_MS);
}
