import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from '../http/metrics.ts';
import { type RenderedMetrics, startMetricsListener } from '../http/metrics-listener.ts';
import type { AppContext } from './context.ts';
import { UPLOADS_FOLDER } from './data-folder.ts';
import { readTls } from './listen.ts';

/**
 * Serves the metrics, and the console of the operator, on their own ports, if the configuration requests them. Then removes
 * what a console that was killed was importing, whether or not there is one now: a second start by mistake finds a port
 * taken before.
 */
export async function startListeners(
  context: AppContext,
  metrics: Metrics,
  resources: AsyncDisposableStack,
): Promise<void> {
  const uploads = join(context.config.dataFolder, UPLOADS_FOLDER);
  // Those of this service come later.
  const left = await readdir(uploads).catch(() => []);
  if (context.config.metrics !== null) {
    const listener = await startMetricsListener({ metrics, ...context.config.metrics });
    resources.defer(() => listener.close());
  }
  const console = await startConsoleOf(context, metrics);
  if (console !== undefined) resources.defer(() => console.close());
  for (const name of left) {
    try {
      await rm(join(uploads, name), { recursive: true, force: true });
    } catch (error) {
      context.log.warn({ err: error }, 'what is left of an upload cannot be removed');
    }
  }
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
