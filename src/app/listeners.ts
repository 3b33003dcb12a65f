import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from '../http/metrics.ts';
import { startMetricsListener } from '../http/metrics-listener.ts';
import type { AppContext } from './context.ts';
import { UPLOADS_FOLDER } from './data-folder.ts';
import { readTls } from './listen.ts';

/** The metrics of a process, as text. */
interface RenderedMetrics {
  render(): string | Promise<string>;
}

/**
 * Serves the metrics, and the console of the operator, on their own ports, if the configuration requests them. Removes
 * what a console that was killed was importing, whether or not there is one now. Called only by a service that listens, because
 * a second start by mistake ends before.
 */
export async function startListeners(
  context: AppContext,
  metrics: Metrics,
  resources: AsyncDisposableStack,
): Promise<void> {
  const uploads = join(context.config.dataFolder, UPLOADS_FOLDER);
  await rm(uploads, { recursive: true, force: true });
  if (context.config.metrics !== null) {
    const listener = await startMetricsListener({ metrics, ...context.config.metrics });
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
