import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { OperatorError } from '../../../common/errors.ts';
import { createGuardedServer } from '../connection/guarded-server.ts';
import { hostUrl, isOwnHost } from '../guard/host-names.ts';

/** More than the Prometheus servers of one installation open, which keep one connection each. */
const MAX_CONNECTIONS = { inAll: 32, ofAddress: 8 };
/** How long one rendering serves all requests. Prometheus scrapes at most once a second. */
const SHARED_MS = 1_000;

const TEXT = 'text/plain; charset=utf-8';
const METRICS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsListener {
  /** The port it listens on; the one that the system chose if 0 was given. */
  port: number;
  close(): Promise<void>;
}

export interface RenderedMetrics {
  render(): string | Promise<string>;
}

/**
 * Serves `GET /metrics` on a port of its own, without authentication, so it belongs on loopback or a
 * private network. Rejects with an OperatorError if it cannot listen.
 */
export async function startMetricsListener({
  metrics,
  host,
  port,
  hostNames,
}: {
  metrics: RenderedMetrics;
  host: string;
  port: number;
  /** Further host names that it answers to. */
  hostNames: readonly string[];
}): Promise<MetricsListener> {
  const render = sharedRendering(metrics);
  const names = [...hostNames, host, hostname()].map((name) => name.toLowerCase());
  const server = createGuardedServer({
    tls: null,
    maxConnections: MAX_CONNECTIONS,
    onRequest: async ({ url, method, headers }, response) => {
      const refuse = (status: number, message: string, more = {}) =>
        send(response, status, `${message}\n`, { 'Content-Type': TEXT, ...more });
      if (!isScraped(headers.host, names)) {
        refuse(421, 'The metrics do not answer to this host name: add it to STAVE_METRICS_HOSTS.');
      } else if (url!.split('?', 1)[0] !== '/metrics') {
        refuse(404, 'The metrics are at /metrics.');
      } else if (method !== 'GET' && method !== 'HEAD') {
        refuse(405, 'The metrics are read by GET.', { Allow: 'GET, HEAD' });
      } else {
        const text = await render().catch(() => undefined);
        // A body that is no valid HTTP has been refused meanwhile.
        if (response.headersSent) return;
        if (text === undefined) {
          refuse(503, 'The metrics cannot be read now.', { 'Retry-After': '1' });
        } else {
          send(response, 200, text, { 'Content-Type': METRICS_TEXT });
        }
      }
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new OperatorError(
          `Metrics cannot listen on ${host}:${port} (${error.code}): set STAVE_METRICS_PORT to a free port of this machine.`,
          { cause: error },
        ),
      );
    });
    server.listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Whether a `Host` is one by which Prometheus finds this listener: in addition to addresses and the given names, those
 * without a dot, such as those of containers, which no site of the Internet has.
 */
function isScraped(host: string | undefined, names: readonly string[]): boolean {
  const url = hostUrl(host);
  return (
    url !== null &&
    (isOwnHost(host, []) || !url.hostname.includes('.') || names.includes(url.hostname))
  );
}

/** Renders the metrics once for all requests within SHARED_MS, as bytes that all responses share. */
function sharedRendering(metrics: RenderedMetrics): () => Promise<Buffer> {
  let latest: Promise<Buffer> | undefined;
  let renderedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (latest === undefined || nowMs - renderedMs >= SHARED_MS) {
      renderedMs = nowMs;
      const rendering = (async () => Buffer.from(await metrics.render()))();
      latest = rendering;
      // The next request tries again.
      rendering.catch(() => {
        if (latest === rendering) latest = undefined;
      });
    }
    return latest;
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string>,
): void {
  response.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
