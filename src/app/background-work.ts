import { hostname } from 'node:os';
import { HOUR_MS } from '../common/clock.ts';
import { newId } from '../common/ids.ts';
import type { OpenCounts } from '../common/memory/open-counts.ts';
import { SERVICE_VERSION } from '../common/version.ts';
import { PeriodicTasks } from '../common/work/periodic-tasks.ts';
import type { Metrics } from '../engines/http/metrics/metrics.ts';
import { leasedTasks } from '../engines/tasks/lease.ts';
import type { RunningNode } from '../engines/tasks/nodes.ts';
import { CallRecorder } from '../features/access/call-recorder.ts';
import { RequestCounter } from '../features/access/client-requests.ts';
import { availability } from '../features/availability/work/availability.ts';
import type { StreamPolicy } from '../features/catalog/streamed-audio.ts';
import { changeLogRetention } from '../features/changes/work/change-log-retention.ts';
import { LinkUseCounter } from '../features/collections/link-use.ts';
import { audioProbing } from '../features/import/work/audio-probing.ts';
import { MediaRequestCounter } from '../features/media/media-requests.ts';
import { renditions } from '../features/renditions/work/renditions.ts';
import { streaming } from '../features/renditions/work/streaming.ts';
import { savedTrackFinder } from '../features/saved-searches/routes/saved-search-tracks.ts';
import { analysis } from '../features/sound/work/analysis.ts';
import { leasedWebhooks } from '../features/webhooks/work/leased-webhooks.ts';
import { measuredBackups } from './last-backup.ts';
import type { AppContext } from './open/context.ts';
import { locationOf } from './open/open-store.ts';
import { scheduledBackups } from './scheduled-backups.ts';
import type { Views } from './views.ts';

const WEBHOOK_THREAD = new URL('./webhook-thread.ts', import.meta.url);

/**
 * Returns the work of a node besides requests, which does not run yet.
 *
 * @param deps.isFirst whether this worker makes the renditions and shows the node in the database for its process
 * @param deps.nameServers as in ServiceDependencies
 */
export function backgroundWork(
  context: AppContext,
  deps: {
    views: Views;
    metrics: Metrics;
    isFirst: boolean;
    openCounts: OpenCounts;
    streamPolicy: StreamPolicy;
    nameServers: readonly string[] | undefined;
  },
) {
  const { config, clock, store, log } = context;
  const { backupSchedule: schedule } = config;
  const { views, metrics, isFirst, openCounts, streamPolicy, nameServers } = deps;
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
  const streams = streaming(context, {
    ...{ metrics, openCounts, policy: streamPolicy },
    popularity: () => store.licenses.countsByTrack('live'),
  });
  const previews = renditions({
    ...{ context, registry: views.registry, metrics, isFirst },
    others: isFirst ? [streams.jobs, ...analysis(context, metrics)] : [],
  });
  // The store itself logs that the database is away.
  const onError = (error: unknown) => {
    if (store.isReachable()) log.error({ err: error }, 'writing the counts of requests failed');
  };
  const counts = { clock, onError };
  const requestCounter = new RequestCounter({ ...counts, store: store.clientRequests });
  const calls = new CallRecorder({
    ...{ ...counts, store: store.calls },
    isClient: (id) => views.registry.find(id) !== undefined,
  });
  const mediaRequestCounter = new MediaRequestCounter({
    ...counts,
    store: store.mediaRequests,
  });
  const linkUseCounter = new LinkUseCounter({ ...counts, store: store.links });
  const switching = availability({ ...context, metrics });
  const parts = [
    switching,
    changeLogRetention(context),
    housekeeping(context),
    audioProbing(context),
    messages,
    streams,
    previews,
    requestCounter,
    calls,
    mediaRequestCounter,
    linkUseCounter,
    ...(isFirst ? [nodeSign(context), measuredBackups(context, metrics)] : []),
    ...(isFirst && schedule !== null ? [scheduledBackups(context, schedule)] : []),
  ];
  return {
    /** For the requests that need renditions. */
    renditionQueue: previews.queue,
    streams: streams.streams,
    /** They count requests also before the start. */
    counters: { requestCounter, calls, mediaRequestCounter },
    linkUseCounter,
    start() {
      for (const part of parts) part.start();
    },
    /** Ends the waits of requests for renditions, and begins to end the work on them. */
    drain: () => previews.drain(),
    /** Ends the work in the reverse order of its parts. */
    async stop() {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}

/**
 * Deletes what has expired, and prepares the store for the next month, once an hour on one node at a time. Each task
 * works in short transactions.
 */
export function housekeeping({ store, log }: Pick<AppContext, 'store' | 'log'>) {
  const prepareMonths = async () => {
    const months = (await store.prepareUsageMonths?.()) ?? [];
    if (months.length > 0) log.info({ months }, 'prepared months of reported use');
  };
  const tasks: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    'preparing the months of reported use': prepareMonths,
    'preparing the summaries of reported use': (signal) => store.usage.prepareSummaries(signal),
    'deleting old idempotency keys': (signal) => store.idempotency.expire(signal),
    'deleting old messages to webhooks': (signal) => store.webhookDeliveries.expire(signal),
    'forgetting the chains of deleted collections': (signal) =>
      store.webhookFanOut.forgetEndedChains(signal),
    'deleting previews of audio that no track has': (signal) =>
      store.renditions.dropUnnamed(signal),
    'deleting analyses of audio that no track has': async (signal) => {
      await store.soundJobs.dropUnnamed(signal);
      await store.sounds.dropUnnamed(signal);
    },
    'deleting old counts of requests': (signal) => store.clientRequests.expire(signal),
    'deleting old errors and addresses of clients': (signal) => store.calls.expire(signal),
    'deleting old counts of streams': (signal) => store.mediaRequests.expire(signal),
    'deleting links that ended long ago': (signal) => store.links.expire(signal),
    'deleting old quotes': (signal) => store.quotes.expire(signal),
    'giving space back to the disk': async (signal) => store.giveBackSpace?.(signal),
  };
  return leasedTasks({
    store,
    log,
    lease: 'housekeeping',
    tasks: Object.entries(tasks).map(([name, run]) => ({ name, run })),
    intervalMs: HOUR_MS,
  });
}

const SIGN_MS = 15_000;

/** Writes into the database every 15 seconds that the node runs, with the time of its clock. Removes that at the stop. */
function nodeSign({ config, store, clock, log }: AppContext) {
  const node: RunningNode = {
    node: newId(),
    host: hostname(),
    pid: process.pid,
    version: SERVICE_VERSION,
    dataFolder: config.dataFolder,
  };
  const tasks = new PeriodicTasks({
    tasks: [
      { name: 'showing the node in the database', run: () => store.nodes.seen(node, clock.now()) },
    ],
    intervalMs: SIGN_MS,
    // The service does not depend on it.
    onError: (error, { name }) => log.debug({ err: error }, `${name} failed`),
  });
  return {
    start: () => tasks.start(),
    async stop() {
      await tasks.stop();
      if (store.isReachable()) await store.nodes.gone(node.node).catch(() => {});
    },
  };
}
