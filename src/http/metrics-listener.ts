import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorError } from '../common/operator-error.ts';

/** The HTTP server that Prometheus scrapes. */
export interface MetricsListener {
  /** The port it listens on; the one that the system chose if 0 was given. */
  port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a port of its own, without authentication, so it belongs on loopback or a
 * private network. Rejects with an OperatorError if it cannot listen.
 */
export async function startMetricsListener({
  metrics,
  host,
  port,
}: {
  metrics: { render(): string | Promise<string> };
  host: string;
  port: number;
}): Promise<MetricsListener> {
  const server = createServer(async (request, response) => {
    const path = request.url!.split('?', 1)[0];
    if (path !== '/metrics') {
      response
        .writeHead(404, { 'Content-Type': 'text/plain' })
        .end('The metrics are at /metrics.\n');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    } else {
      const text = await metrics.render();
      response
        .writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
        .end(text);
    }
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
