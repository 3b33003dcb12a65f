import type { Metrics } from '../engines/http/metrics/metrics.ts';
import {
  type RenderedMetrics,
  startMetricsListener,
} from '../engines/http/metrics/metrics-listener.ts';
import { readTls } from './listen.ts';
import type { AppContext } from './open/context.ts';

/** Starts the console, whose modules only the commands load. */
export type StartConsole = (options: {
  context: AppContext;
  metrics: RenderedMetrics;
  tls: Awaited<ReturnType<typeof readTls>>;
  host: string;
  port: number;
}) => Promise<{ close(): Promise<void> }>;

/** Serves the metrics, and the console of the operator, on their own ports, if the configuration requests them. */
export async function startListeners(
  context: AppContext,
  {
    metrics,
    startConsole,
    resources,
  }: {
    metrics: Metrics;
    startConsole: StartConsole | undefined;
    resources: AsyncDisposableStack;
  },
): Promise<void> {
  const { metrics: address, metricsHosts: hostNames } = context.config;
  if (address !== null) {
    const listener = await startMetricsListener({ metrics, hostNames, ...address });
    resources.defer(() => listener.close());
  }
  const console = await startConsoleOf(context, metrics, startConsole);
  if (console !== undefined) resources.defer(() => console.close());
}

/** Serves the console, if the configuration requests it. */
export async function startConsoleOf(
  context: AppContext,
  metrics: RenderedMetrics,
  startConsole: StartConsole | undefined,
): Promise<{ close(): Promise<void> } | undefined> {
  const { config } = context;
  if (config.console === null) return undefined;
  if (startConsole === undefined) throw new Error('the start has no console');
  const { host, port } = config.console;
  return startConsole({ context, metrics, tls: await readTls(config), host, port });
}
