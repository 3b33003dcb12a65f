import type { Metrics } from '../engines/http/metrics/metrics.ts';
import { RequestCounter } from '../features/access/client-requests.ts';
import { availability } from '../features/availability/work/availability.ts';
import { changeLogRetention } from '../features/changes/work/change-log-retention.ts';
import {
  type MediaRequestCounter,
  WrittenMediaRequestCounter,
} from '../features/media/media-requests.ts';
import type { RenditionQueue } from '../features/renditions/rendition-queue.ts';
import { renditions } from '../features/renditions/work/renditions.ts';
import { savedTrackFinder } from '../features/saved-searches/routes/saved-track-finder.ts';
import { leasedWebhooks } from '../features/webhooks/work/leased-webhooks.ts';
import { housekeeping } from './housekeeping.ts';
import { nodeSign } from './node-sign.ts';
import type { AppContext } from './open/context.ts';
import { locationOf } from './open/open-store.ts';
import type { Views } from './views.ts';

/** The thread that makes and sends messages to webhooks. */
const WEBHOOK_THREAD = new URL('./threads/webhook-thread.ts', import.meta.url);

/** The work of a node besides requests. */
export interface BackgroundWork {
  /** For the requests that need renditions. */
  renditionQueue: RenditionQueue;
  /** Counts requests of clients, also before the start. */
  /** Where requests are counted. */
  counters: { requestCounter: RequestCounter; mediaRequestCounter: MediaRequestCounter };
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
  const { config, clock, store, log } = context;
  const messages = leasedWebhooks({
    ...context,
    script: WEBHOOK_THREAD,
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
  // The store itself logs that the database is away.
  const onError = (error: unknown) => {
    if (store.isReachable()) log.error({ err: error }, 'writing the counts of requests failed');
  };
  const counts = { clock, onError };
  const requestCounter = new RequestCounter({ ...counts, store: store.clientRequests });
  const mediaRequestCounter = new WrittenMediaRequestCounter({
    ...counts,
    store: store.mediaRequests,
  });
  const switching = availability({ ...context, metrics });
  const parts = [
    switching,
    changeLogRetention(context),
    housekeeping(context),
    messages,
    previews,
    requestCounter,
    mediaRequestCounter,
    ...(isFirst ? [nodeSign(context)] : []),
  ];
  return {
    renditionQueue: previews.queue,
    counters: { requestCounter, mediaRequestCounter },
    start() {
      for (const part of parts) part.start();
    },
    drain: () => previews.drain(),
    async stop() {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}
