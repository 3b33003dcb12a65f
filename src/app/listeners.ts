import type { Metrics } from '../http/metrics.ts';
import { type RenderedMetrics, startMetricsListener } from '../http/metrics-listener.ts';
import type { AppContext } from './context.ts';
import { readTls } from './listen.ts';

/** Serves the metrics, and the console of the operator, on their own ports, if the configuration requests them. */
export async function startListeners(
  context: AppContext,
  metrics: Metrics,
  resources: AsyncDisposableStack,
): Promise<void> {
  const { metrics: address, metricsHosts: hostNames } = context.config;
  if (address !== null) {
    const listener = await startMetricsListener({ metrics, hostNames, ...address });
    resources.defer(() => listener.close());
  }
  const console = await startConsoleOf(context, metrics);
  if (console !== undefined) resources.defer(() => console.close());
}

/** Serves the console, if the configuration requests it. Loads its modules only then. */
export async function startConsoleOf(
  context: AppContext,
  metrics: RenderedMetrics,
): Promise<{ close(): Promise<void> } | undefined> {
  const { config } = context;
  if (config.console === null) return undefined;
  const { startConsole } = await import('../console/start.ts');
  const { host, port } = config.console;
  return startConsole({ context, metrics, tls: await readTls(config), host, port });
}
