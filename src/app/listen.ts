import { readFileSync } from 'node:fs';
import { OperatorError } from '../common/errors.ts';
import type { Log } from '../common/log.ts';
import type { ServedCertificate } from '../engines/http/connection/served-certificate.ts';
import {
  type RenderedMetrics,
  startMetricsListener,
} from '../engines/http/metrics/metrics-listener.ts';
import type { HttpServer } from '../engines/http/server.ts';
import { listenFault } from '../engines/net/listen-fault.ts';
import type { PasswordThrottle } from '../features/access/password-throttle.ts';
import type { Config } from './config/config.ts';
import type { AppContext } from './open/context.ts';

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there; stop it, or set PORT',
  EACCES: 'this user may not listen there; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine has no such address; see HOST',
  ENOTFOUND: 'the name of the host is not known; see HOST',
  ENOTSUP: 'this system lets no two threads share a port; serve without --workers',
};

/**
 * Returns scheme, host and port. Throws OperatorError if it cannot listen.
 *
 * @param isShared whether other threads may listen on the port, too; the system then distributes the connections
 */
export async function listen(
  app: HttpServer,
  { host, port, tls }: Config,
  { isShared }: { isShared: boolean },
): Promise<string> {
  try {
    const address = await app.listen({ host, port, ...(isShared && { reusePort: true }) });
    // Fastify does not know that our server speaks TLS.
    return tls === null ? address : address.replace(/^http:/, 'https:');
  } catch (error) {
    throw listenError(error, host, port);
  }
}

/**
 * Throws OperatorError if another program already listens on the port. Otherwise, listening on a shared port
 * would succeed, and two instances of Stave would each serve some of the callers.
 */
export async function refuseTakenPort({ host, port }: Config): Promise<void> {
  const fault = await listenFault({ host, port });
  if (fault !== undefined) throw listenError(fault, host, port);
}

function listenError(error: unknown, host: string, port: number): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = LISTEN_FAULTS[code];
  return reason === undefined
    ? error
    : new OperatorError(`Cannot listen on ${host}:${port} (${code}): ${reason}.`, { cause: error });
}

/**
 * The file descriptors that connections of the API may not take: 132 for connections of the console and of the metrics,
 * the others for the database, audio files, threads and new connections.
 */
const RESERVED_DESCRIPTORS = 512;

/**
 * Returns the limits of connections of the API. They leave the other parts of the process enough file descriptors, if
 * the system limits these (`/proc/self/limits`, on Linux). Logs a warning if this lowers the configured limit.
 */
export function connectionLimits(
  { maxConnections }: Config,
  log: Pick<Log, 'warn'>,
  limits: () => string = () => readFileSync('/proc/self/limits', 'utf8'),
): Config['maxConnections'] {
  const descriptors = openFileLimit(limits);
  const inAll = Math.min(
    maxConnections.inAll,
    Math.max(Math.floor(descriptors / 2), descriptors - RESERVED_DESCRIPTORS),
  );
  if (inAll < maxConnections.inAll) {
    log.warn(
      { maxConnections: maxConnections.inAll, openFiles: descriptors, accepted: inAll },
      'the limit of open files is too low for STAVE_MAX_CONNECTIONS: raise it (LimitNOFILE, ulimit -n)',
    );
  }
  return { ...maxConnections, inAll };
}

/** Infinite if the system does not show the limit. */
function openFileLimit(limits: () => string): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(limits());
    return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Only the commands load the modules of the console, so they pass this function. */
export type StartConsole = (options: {
  context: AppContext;
  metrics: RenderedMetrics;
  tls: ServedCertificate | null;
  passwordThrottle: PasswordThrottle;
}) => Promise<{ close(): Promise<void> }>;

/** Serves the metrics on their own port, if the configuration requests that. */
export async function startMetrics(
  { metrics: address, metricsHosts: hostNames }: Config,
  metrics: RenderedMetrics,
  resources: AsyncDisposableStack,
): Promise<void> {
  if (address === null) return;
  const listener = await startMetricsListener({ metrics, hostNames, ...address });
  resources.defer(() => listener.close());
}

/** Serves the console on its own port, if the configuration requests that. */
export async function startConsoleOf(
  context: AppContext,
  metrics: RenderedMetrics,
  {
    tls,
    passwordThrottle,
    startConsole,
    resources,
  }: {
    tls: ServedCertificate | null;
    passwordThrottle: PasswordThrottle;
    startConsole?: StartConsole;
    resources: AsyncDisposableStack;
  },
): Promise<void> {
  const { config } = context;
  if (config.console === null) return;
  if (startConsole === undefined) throw new Error('the start has no console');
  const console = await startConsole({ context, metrics, tls, passwordThrottle });
  resources.defer(() => console.close());
}
