import { savedTrackFinder } from '../api/saved-searches/saved-track-finder.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RenditionQueue } from '../media/renditions/rendition-queue.ts';
import { changeLogRetention } from './change-log-retention.ts';
import type { AppContext } from './context.ts';
import { housekeeping } from './housekeeping.ts';
import { locationOf } from './open-store.ts';
import { renditions } from './renditions.ts';
import type { Views } from './views.ts';
import { leasedWebhooks } from './webhooks/leased-webhooks.ts';

/** The work of a node besides requests. */
export interface BackgroundWork {
  /** For the requests that need renditions. */
  renditionQueue: RenditionQueue;
  start(): void;
  /** Ends what requests wait for, and begins to end what takes long. */
  drain(): void;
  /** Ends the work in the reverse order of its parts. */
  stop(): Promise<void>;
}

/**
 * Returns the work of a node, which does not run yet.
 *
 * @param deps.isFirst whether this is the worker of its process that makes renditions
 * @param deps.nameServers as in ServiceDependencies
 */
export function backgroundWork(
  context: AppContext,
  {
    views,
    metrics,
    isFirst,
    nameServers,
  }: {
    views: Views;
    metrics: Metrics;
    isFirst: boolean;
    nameServers: readonly string[] | undefined;
  },
): BackgroundWork {
  const { config } = context;
  const messages = leasedWebhooks({
    ...context,
    data: { store: locationOf(config), targets: config.webhookTargets, nameServers },
    finder: savedTrackFinder({
      catalog: views.catalog,
      registry: views.registry,
      regionGroups: (clientId) => views.regionGroupsOf(clientId),
      groupsVersion: () => views.rateCards.version,
    }),
    metrics,
  });
  const previews = renditions({ context, registry: views.registry, metrics, isFirst });
  const parts = [changeLogRetention(context), housekeeping(context), messages, previews];
  return {
    renditionQueue: previews.queue,
    start() {
      for (const part of parts) part.start();
    },
    drain: () => previews.drain(),
    async stop() {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}
