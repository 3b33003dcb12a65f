import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/common/clock.ts';
import type { Log } from '../../src/common/log.ts';
import { Metrics } from '../../src/engines/http/metrics/metrics.ts';
import { Readiness } from '../../src/engines/http/readiness.ts';
import { buildServer, type HttpServer, type ServerOptions } from '../../src/engines/http/server.ts';

interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

/** The HTTP server alone, on its own port, with the routes of a test. */
export interface ListeningServer {
  app: HttpServer;
  port: number;
  /** `http://127.0.0.1:PORT` */
  base: string;
  readiness: Readiness;
  metrics: Metrics;
  /** All log lines, of every level. */
  lines: LogLine[];
}

/** The readiness of a node that serves. */
export function serving(): Readiness {
  const readiness = new Readiness();
  readiness.serve();
  return readiness;
}

/** Builds a server and listens. `prepare` gets the server before it listens. */
export async function listenWith({
  prepare,
  ...options
}: Pick<ServerOptions, 'routes' | 'authenticate' | 'rateLimiter'> &
  Partial<ServerOptions> & { prepare?(app: HttpServer): void }): Promise<ListeningServer> {
  const lines: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  };
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const readiness = options.readiness ?? serving();
  const metrics = options.metrics ?? new Metrics();
  const app = buildServer({
    clock: systemClock,
    log,
    tls: null,
    publicUrl: () => 'https://api.example.org',
    trustProxy: false,
    // A slow machine must not cause a refusal.
    overloadMs: 60_000,
    ...options,
    readiness,
    metrics,
  });
  prepare?.(app);
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    port: (app.server.address() as AddressInfo).port,
    base,
    readiness,
    metrics,
    lines,
  };
}
